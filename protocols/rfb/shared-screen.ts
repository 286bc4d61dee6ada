import { ScreenSession, type SharedScreenOptions } from './screen-session.ts';
import { endAll, ViewerConnection } from './viewer-connection.ts';
import type { AttachedViewer, Viewer } from './viewer.ts';

/** ms for a viewer to complete the handshake. */
const HANDSHAKE_TIME = 10_000;

/**
 * One screen of a machine for many viewers: an RFB client of the machine's one display line, which is open while there is a viewer, and
 * an RFB server (security None) for each viewer. It keeps no picture. All have one pixel format and only encodings that need no earlier
 * rectangle, so updates pass through as they are, and a viewer that joins or has missed something gets a full update. Updates are asked
 * from the machine when a viewer wants one and can take it. While the machine's screen is not connected, viewers keep their last picture;
 * the name of the desktop says what is the matter.
 *
 * A viewer that asks for the screen alone (shared flag 0) ends the others. The keys of all that may type reach the machine.
 */
export class SharedScreen {
  readonly #options: SharedScreenOptions;
  readonly #viewers = new Set<ViewerConnection>();
  /** Cancels the timers of handshakes. */
  readonly #deadlines = new Map<ViewerConnection, () => void>();
  #session: ScreenSession | undefined;

  constructor(options: SharedScreenOptions) {
    this.#options = options;
  }

  attach(viewer: Viewer): AttachedViewer {
    const session = (this.#session ??= new ScreenSession(this.#options, this.#viewers, () => {
      this.#session = undefined;
    }));
    const connection: ViewerConnection = new ViewerConnection(viewer, {
      get facts() {
        return session.facts;
      },
      started: (isShared) => {
        this.#stopDeadline(connection);
        if (!isShared && viewer.canType) this.#take(connection);
        session.greet();
      },
      wants: () => {
        session.serve();
      },
      input: (message, kind, effect) => session.input(message, kind, effect),
      ended: () => {
        this.#ended(connection);
      },
    });
    this.#viewers.add(connection);
    this.#deadlines.set(
      connection,
      this.#options.schedule(() => {
        connection.end('Protocol', `the viewer has not begun within ${HANDSHAKE_TIME / 1000} s`);
      }, HANDSHAKE_TIME),
    );
    session.open();
    return connection;
  }

  /** Ends all viewers with the reason `Closed`. */
  close(): void {
    endAll(this.#viewers, 'Closed', 'the BMC ends');
  }

  #take(taker: ViewerConnection): void {
    const others = [...this.#viewers].filter((one) => one !== taker);
    endAll(others, 'Taken', `${taker.viewer.name} has taken the screen`);
  }

  #ended(connection: ViewerConnection): void {
    this.#stopDeadline(connection);
    this.#viewers.delete(connection);
    if (this.#viewers.size > 0) {
      this.#session?.serve();
      return;
    }
    const session = this.#session;
    this.#session = undefined;
    session?.close();
  }

  #stopDeadline(connection: ViewerConnection): void {
    this.#deadlines.get(connection)?.();
    this.#deadlines.delete(connection);
  }
}
