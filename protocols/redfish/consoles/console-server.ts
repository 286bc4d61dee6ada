import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { MachineError } from '../../machine/index.ts';
import { type AttachedViewer, SharedScreen, type ViewerEnd } from '../../rfb/index.ts';
import type { Access } from '../access/access.ts';
import { base, machineRefusal, RedfishError } from '../messages.ts';
import type { RedfishOptions } from '../options.ts';
import { type Answer, errorAnswer, notAllowed, send } from '../service/answer.ts';
import { checkPassword } from '../service/access-check.ts';
import { addressOf, checkSite } from '../service/origin-of.ts';
import { type Admitted, admitToConsole, BINARY } from './console-admission.ts';
import {
  CLOSE_CODES,
  type ConsoleEnd,
  type ConsoleKind,
  type ConsoleRefusal,
  type ConsoleRegister,
} from './console-register.ts';
import { pathOf, webPlaceOf } from './console-paths.ts';
import { PacedSocket } from './paced-socket.ts';
import { Screenshots } from './screenshots.ts';
import { SharedSerial } from './shared-serial.ts';

export interface ConsoleServerOptions {
  options: Pick<RedfishOptions, 'machine' | 'observer' | 'schedule' | 'webConsole'>;
  register: ConsoleRegister;
  access: ConsoleAccess;
}

export type ConsoleAccess = Pick<Access, 'authenticate' | 'isStillIn'>;

/** Bytes of a message of a client. */
const MAX_MESSAGE = 64 * 1024;

/** The serial port and the screen of the machine by WebSocket, and pictures of the screen. */
export class ConsoleServer {
  readonly #options: ConsoleServerOptions;
  readonly #serial: SharedSerial;
  readonly #screen: SharedScreen;
  readonly #screenshots: Screenshots;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE,
    // Compression would cost memory for each connection, and updates of the screen are of the machine's encoding.
    perMessageDeflate: false,
    skipUTF8Validation: true,
    handleProtocols: (offered) => offered.has(BINARY) && BINARY,
  });

  constructor(options: ConsoleServerOptions) {
    this.#options = options;
    const { machine, schedule } = options.options;
    this.#serial = new SharedSerial(machine.console);
    this.#screen = new SharedScreen({ display: machine.display, name: machine.identity().name, schedule });
    this.#screenshots = new Screenshots(machine.display, schedule);
  }

  /** Answers a request for a WebSocket, for which `asksForConsole` holds. Never throws. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const kind = webPlaceOf(pathOf(request)) === 'KVMIP' ? 'KVMIP' : 'HostConsole';
    const { observer } = this.#options.options;
    const name = `WebSocket ${kind}`;
    try {
      const admitted = this.#admit(request, kind);
      const refused = admitted.refusal ?? this.#options.register.refusalOf(kind, admitted.caller);
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        if (refused === undefined) this.#open(webSocket, kind, admitted);
        else this.#decline(webSocket, refused);
        observer.answered(name, refused === undefined ? 101 : CLOSE_CODES[refused.why]);
      });
    } catch (error) {
      const refusal = this.#refusalOf(error, request);
      observer.answered(name, refusal.status);
      this.#refuse(request, socket, errorAnswer(refusal));
    }
  }

  /** Answers a request for a picture, or one without `Upgrade` for a console. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answerOf(request).catch((error: unknown) =>
      errorAnswer(this.#refusalOf(error, request)),
    );
    if (!response.destroyed) send(response, answer, request.method === 'HEAD');
    this.#options.options.observer.answered('GET screenshot', answer.status);
  }

  close(): void {
    this.#screen.close();
    this.#screenshots.close();
  }

  async #answerOf(request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw notAllowed(['GET', 'HEAD']);
    if (webPlaceOf(pathOf(request)) !== 'screenshot') return { status: 426, headers: { Upgrade: 'websocket' } };
    checkSite(request.headers);
    checkPassword(this.#options.access.authenticate(request.headers, addressOf(request)));
    return { status: 200, text: await this.#screenshots.take(), contentType: 'image/png' };
  }

  #admit(request: IncomingMessage, kind: ConsoleKind): Admitted {
    const { access, options } = this.#options;
    if (options.webConsole?.isEnabled() !== true)
      throw new RedfishError(404, [base('ServiceDisabled', ['web console'])]);
    return admitToConsole(request, kind, addressOf(request), access);
  }

  #decline(webSocket: WebSocket, { why, message }: ConsoleRefusal): void {
    const ignore = (): void => undefined;
    const { schedule } = this.#options.options;
    const socket = new PacedSocket({
      ...{ webSocket, schedule, received: ignore, written: ignore, closed: ignore },
      pace: (work) => {
        work();
      },
    });
    socket.close(CLOSE_CODES[why], message);
  }

  #open(webSocket: WebSocket, kind: ConsoleKind, { caller, token, canType }: Admitted): void {
    const { register, access, options } = this.#options;
    const { requester, account } = caller;
    let attached: AttachedViewer | undefined;
    const socket = new PacedSocket({
      webSocket,
      pace:
        options.webConsole?.pace ??
        ((work) => {
          work();
        }),
      schedule: options.schedule,
      received: (data) => attached?.received(data),
      written: () => attached?.written(),
      closed: () => {
        attached?.closed();
        attached = undefined;
        if (register.remove(open.id)) options.observer.consoleChanged(requester, kind, false);
      },
    });
    const end = (why: ConsoleEnd, message: string): void => {
      socket.close(CLOSE_CODES[why], message);
    };
    const open = register.add({ kind, account, requester, isPermitted: () => access.isStillIn(caller, token), end });
    options.observer.consoleChanged(requester, kind, true);
    attached =
      kind === 'HostConsole' ? this.#attachSerial(socket, end) : this.#attachScreen(socket, end, { caller, canType });
  }

  #attachSerial(socket: PacedSocket, close: (why: ConsoleEnd, message: string) => void): AttachedViewer {
    return this.#serial.attach({
      send: (data) => {
        socket.send(data);
      },
      get buffered() {
        return socket.buffered;
      },
      pause: () => {
        socket.pause();
      },
      resume: () => {
        socket.resume();
      },
      close,
    });
  }

  #attachScreen(
    socket: PacedSocket,
    end: (why: ConsoleEnd, message: string) => void,
    { caller: { requester }, canType }: Pick<Admitted, 'caller' | 'canType'>,
  ): AttachedViewer {
    return this.#screen.attach({
      name: `${requester.user} from ${requester.address}`,
      canType,
      send: (data) => {
        socket.send(data);
      },
      get buffered() {
        return socket.buffered;
      },
      close: (reason, message) => {
        end(SCREEN_ENDS[reason], message);
      },
    });
  }

  #refusalOf(error: unknown, request: IncomingMessage): RedfishError {
    if (error instanceof RedfishError) return error;
    if (error instanceof MachineError) return machineRefusal(error, base('OperationFailed'));
    this.#options.options.observer.failed(error, request.method ?? '', pathOf(request));
    return new RedfishError(500, [base('InternalError')]);
  }

  /** Answers in place of a WebSocket and closes the connection. */
  #refuse(request: IncomingMessage, socket: Duplex, answer: Answer): void {
    const response = new (process.getBuiltinModule('node:http').ServerResponse)(request);
    response.shouldKeepAlive = false;
    // A TLS socket is one of node:net as well.
    response.assignSocket(socket as Socket);
    response.once('finish', () => {
      socket.end(() => socket.destroy());
    });
    send(response, answer, false);
  }
}

const SCREEN_ENDS: Readonly<Record<ViewerEnd, ConsoleEnd>> = {
  Taken: 'Taken',
  PixelFormat: 'Invalid',
  Protocol: 'Invalid',
  TooSlow: 'Unavailable',
  Resized: 'Leaving',
  NotSupported: 'NotSupported',
  Unavailable: 'Unavailable',
  Closed: 'Leaving',
};
