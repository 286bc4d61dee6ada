import { type Display, type DisplayGap, type DisplayLine, MachineError } from '../machine/index.ts';
import { ENCODING, keyEvent, setEncodings, type Size, updateRequest } from './messages.ts';
import type { InputEffect } from './pressed-keys.ts';
import { RfbError } from './rfb-error.ts';
import { isOfPixels, type Rectangle, ServerStream } from './server-stream.ts';
import { UpdateBrake } from './update-brake.ts';
import { endAll, type ScreenFacts, type ViewerConnection } from './viewer-connection.ts';
import type { InputKind } from './viewer-stream.ts';

export interface SharedScreenOptions {
  display: Display;
  /** Name of the machine, shown by viewers. */
  name: string;
  /** Calls `work` after `delay` ms; returns how to cancel that. */
  schedule: (work: () => void, delay: number) => () => void;
}

/** ms for the machine's screen to complete the handshake. */
const HANDSHAKE_TIME = 10_000;
/** ms after which viewers get a black picture if the screen has not answered. */
const OPENING_TIME = 3_000;
/** Unsent bytes towards the machine at which input other than releases is dropped. */
const MOST_UNSENT = 64 * 1024;
/** Size of the black picture, until the machine's is known. */
const NO_SIZE: Size = { width: 640, height: 400 };

const OPENING: DisplayGap = { kind: 'Lost', message: 'the screen is being opened' };
const SILENT = "the machine's screen does not answer";

/** What the machine is asked for if all viewers can read it, the preferred first. */
const COMMON = [ENCODING.hextile, ENCODING.copyRect, ENCODING.cursor] as const;

/** The display line from the first viewer to the last one. */
export class ScreenSession {
  readonly #options: SharedScreenOptions;
  readonly #viewers: ReadonlySet<ViewerConnection>;
  readonly #onFailed: () => void;
  /** Undefined: not yet open. */
  #line: DisplayLine | undefined;
  #hasBegun = false;
  #isClosed = false;
  /** The machine's stream; undefined: not connected. */
  #stream: ServerStream | undefined;
  /** Whether its handshake is over. */
  #hasStarted = false;
  #gap: DisplayGap | undefined;
  #size = NO_SIZE;
  #cursor: Buffer | undefined;
  #acceptsExtendedKeys = false;
  /** The request that the machine has not answered. */
  #asked: 'Nothing' | 'Changes' | 'All' = 'Nothing';
  /** The last SetEncodings. */
  #encodings: readonly number[] | undefined;
  /** Rectangles of the update whose first one has not come. */
  #announced = 0;
  #isUpdating = false;
  /** Whether the present update answers a request. */
  #isAnswer = false;
  #stopWatch: (() => void) | undefined;
  readonly #brake: UpdateBrake;

  constructor(options: SharedScreenOptions, viewers: ReadonlySet<ViewerConnection>, onFailed: () => void) {
    this.#options = options;
    this.#viewers = viewers;
    this.#onFailed = onFailed;
    this.#brake = new UpdateBrake({
      viewers,
      schedule: options.schedule,
      pause: () => this.#line?.pause(),
      resume: () => this.#line?.resume(),
    });
  }

  get facts(): ScreenFacts {
    const { name } = this.#options;
    return {
      name: this.#gap === undefined ? name : `${name}: ${this.#gap.message}`,
      size: this.#size,
      cursor: this.#cursor,
    };
  }

  open(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#watch(OPENING_TIME, () => {
      this.#interrupted(OPENING);
    });
    const { display } = this.#options;
    const isOpen = (): boolean => !this.#isClosed;
    display
      .open({
        opened: () => {
          if (isOpen()) this.#opened();
        },
        received: (data) => {
          if (isOpen()) this.#received(data);
        },
        interrupted: (gap) => {
          if (isOpen()) this.#interrupted(gap);
        },
      })
      .then(
        (line) => {
          if (this.#isClosed) line.close();
          else this.#line = line;
        },
        (error: unknown) => {
          this.#failed(error);
        },
      );
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWatch?.();
    this.#brake.stop();
    this.#line?.close();
  }

  /** Greets viewers that wait for it, if there is a picture or none is to be expected. */
  greet(): void {
    if (!this.#hasStarted && this.#gap === undefined) return;
    for (const viewer of this.#viewers) if (viewer.hasStarted) viewer.greet();
    this.#flush();
  }

  /** Asks the machine for what viewers want, and goes on when they have room. */
  serve(): void {
    if (this.#isClosed) return;
    this.#brake.check();
    if (this.#gap !== undefined) this.#blacken();
    else if (!this.#isUpdating) this.#ask();
  }

  /** @returns whether the machine gets it */
  input(message: Buffer, kind: InputKind, effect: InputEffect): boolean {
    const line = this.#line;
    if (this.#gap?.kind === 'Taken') {
      // The pointer alone does not take the screen back: it moves over it by chance.
      if (effect === 'Press') line?.take();
      return false;
    }
    if (!this.#hasStarted || line === undefined) return false;
    // Without its release a key hangs. Only what the machine has got is released, so these are few bytes more.
    if (line.buffered > MOST_UNSENT && effect !== 'Release') return false;
    const translated = kind === 'ExtendedKey' && !this.#acceptsExtendedKeys ? plainKey(message) : message;
    if (translated !== undefined) line.write(translated);
    return translated !== undefined;
  }

  #opened(): void {
    this.#lose();
    this.#watch(HANDSHAKE_TIME, () => {
      this.#restart(SILENT);
    });
    this.#stream = new ServerStream({
      write: (data) => this.#line?.write(data),
      started: (size) => {
        this.#started(size);
      },
      updateBegan: (count) => {
        this.#isUpdating = true;
        this.#announced = count;
        this.#isAnswer = count === 0;
      },
      rectangle: (header, rectangle) => {
        this.#rectangle(header, rectangle);
      },
      body: (data) => {
        for (const viewer of this.#viewers) viewer.body(data);
      },
      updateEnded: () => {
        this.#updateEnded();
      },
      resized: (size) => {
        this.#size = size;
        for (const viewer of this.#viewers) viewer.resized();
      },
      cursorChanged: (cursor) => {
        this.#cursor = cursor;
      },
      acceptsExtendedKeys: () => {
        this.#acceptsExtendedKeys = true;
      },
      message: (data, kind) => {
        for (const viewer of this.#viewers) if (kind === 'Bell' || viewer.viewer.canType) viewer.message(data);
      },
    });
  }

  #received(data: Buffer): void {
    try {
      this.#stream?.push(data);
    } catch (error) {
      if (!(error instanceof RfbError)) throw error;
      this.#restart(error.message);
    }
    this.#flush();
    this.#brake.check();
  }

  #started(size: Size): void {
    this.#stopWatch?.();
    this.#hasStarted = true;
    this.#gap = undefined;
    this.#size = size;
    this.greet();
    this.#tell();
    this.#ask();
  }

  /** The first rectangle decides: viewers take part only in updates with pixels. */
  #rectangle(header: Buffer, rectangle: Rectangle): void {
    const count = this.#announced;
    this.#announced = 0;
    if (rectangle.encoding !== ENCODING.extendedKey) this.#isAnswer = true;
    const isNews = count === 1 && !isOfPixels(rectangle.encoding);
    for (const viewer of this.#viewers) {
      if (count > 0 && !isNews) viewer.begin(count);
      viewer.rectangle(header, rectangle);
    }
  }

  #updateEnded(): void {
    this.#isUpdating = false;
    // Another request does no harm if this was sent without a request, as QEMU does with the pointer.
    if (this.#isAnswer) this.#asked = 'Nothing';
    for (const viewer of this.#viewers) viewer.complete();
    this.#tell();
    this.#ask();
  }

  #interrupted(gap: DisplayGap): void {
    this.#lose();
    this.#gap = gap;
    this.greet();
    this.#tell();
    this.#blacken();
  }

  /** The machine's stream has ended. */
  #lose(): void {
    this.#stopWatch?.();
    const stream = this.#stream;
    this.#stream = undefined;
    this.#hasStarted = false;
    const isComplete = stream?.complete() ?? true;
    for (const viewer of [...this.#viewers]) {
      if (!isComplete && viewer.part === 'Passed') viewer.end('Unavailable', 'the screen was lost; connect again');
      else viewer.reset();
    }
    this.#isUpdating = false;
    this.#asked = 'Nothing';
    this.#encodings = undefined;
    this.#cursor = undefined;
    this.#acceptsExtendedKeys = false;
    this.#brake.check();
    this.#flush();
  }

  /** @param why instead of the message of the line */
  #restart(why: string): void {
    this.#line?.restart();
    this.#interrupted({ kind: 'Lost', message: `${why}; it is being opened again` });
  }

  /** The line cannot be opened. */
  #failed(error: unknown): void {
    if (this.#isClosed) return;
    this.close();
    this.#onFailed();
    const isNeverThere = error instanceof MachineError && error.code === 'NotSupported';
    const message = error instanceof MachineError ? error.message : 'the screen cannot be opened';
    endAll(this.#viewers, isNeverThere ? 'NotSupported' : 'Unavailable', message);
  }

  #ask(): void {
    const line = this.#line;
    const waiting = [...this.#viewers].filter((viewer) => viewer.isWaiting);
    const joining = waiting.filter((viewer) => viewer.needsAll);
    const asks = joining.length > 0 ? 'All' : 'Changes';
    const isAsked = this.#asked === 'All' || this.#asked === asks;
    if (!this.#hasStarted || line === undefined || waiting.length === 0 || isAsked) return;
    this.#chooseEncodings(line);
    line.write(updateRequest(this.#size, asks === 'Changes'));
    this.#asked = asks;
    for (const viewer of joining) viewer.join(this.#size);
  }

  /** Asks for what all viewers can read. A rectangle that was on the way is left out for those that cannot. */
  #chooseEncodings(line: DisplayLine): void {
    const viewers = [...this.#viewers].filter((viewer) => viewer.isReady);
    const common = COMMON.filter((encoding) => viewers.every((viewer) => viewer.reads(encoding)));
    const encodings = [...common, ENCODING.raw, ENCODING.desktopSize, ENCODING.extendedKey];
    if (this.#encodings?.join() === encodings.join()) return;
    this.#encodings = encodings;
    line.write(setEncodings(encodings));
  }

  #tell(): void {
    for (const viewer of [...this.#viewers]) viewer.tell();
    this.#flush();
  }

  #blacken(): void {
    for (const viewer of this.#viewers) viewer.blacken();
    this.#flush();
  }

  #flush(): void {
    for (const viewer of this.#viewers) viewer.flush();
  }

  #watch(delay: number, work: () => void): void {
    this.#stopWatch?.();
    // The last viewer may have ended meanwhile.
    if (!this.#isClosed) this.#stopWatch = this.#options.schedule(work, delay);
  }
}

/** A KeyEvent with the keysym of an extended one; undefined if it has none. */
function plainKey(message: Buffer): Buffer | undefined {
  const keysym = message.readUInt32BE(4);
  return keysym === 0 ? undefined : keyEvent(keysym, message.readUInt16BE(2) !== 0);
}
