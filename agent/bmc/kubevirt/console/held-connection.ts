import type { VirtualMachineInstance } from '../../../../api/index.ts';
import { ApiError, Backoff, type Clock, type Timer } from '@groundcrew/controller-runtime';
import type { ConsoleSocket, ConsoleSocketListener } from './console-socket.ts';

export interface HeldConnectionOptions {
  /**
   * Opens a connection, paused until `resume`.
   *
   * @throws ApiError if refused, TransportError if the API server is unreachable
   */
  open: (listener: ConsoleSocketListener) => Promise<ConsoleSocket>;
  /** What the connection leads to, in messages: `console`. */
  noun: string;
  listener: HeldConnectionListener;
  /** The VMI from the watch cache. */
  instance: () => VirtualMachineInstance | undefined;
  clock: Clock;
  /** From 0 up to 1. */
  random: () => number;
}

export interface HeldConnectionListener {
  opened(socket: ConsoleSocket): void;
  received(data: Buffer): void;
  /** Some buffered bytes were sent. */
  written(): void;
  /** There is no connection, and why. `isNews`: the message is not the last one since it was open. */
  interrupted(gap: ConnectionGap, isNews: boolean): void;
}

/** `Off`, `Taken`: it waits for the machine, or for `takeBack`. Else it connects again by itself. */
export interface ConnectionGap {
  kind: 'Off' | 'Lost' | 'Taken' | 'Refused';
  message: string;
}

/** ms to wait for the watch to report why a connection ended. */
const JUDGEMENT_TIME = 1_500;
/** ms for a connection to close after its machine has left the node; that of a dead node never closes. */
const ENDING_TIME = 10_000;
/** ms that a connection must last for the next attempt to start without delay. */
const LASTING = 5_000;
/** Delays between connection attempts; ms. */
const BACKOFF = { base: 500, max: 10_000 };

type State =
  | { kind: 'off' | 'retrying' | 'taken' | 'closed' }
  | { kind: 'connecting'; place: ConsolePlace | undefined }
  | { kind: 'open'; socket: ConsoleSocket; place: ConsolePlace; since: number }
  | { kind: 'evaluating'; place: ConsolePlace; isBroken: boolean };

/**
 * A connection to a console of a VM, kept open through reboots, live migrations and power cycles. KubeVirt gives each console to the
 * latest client and closes the previous connection without a reason: if the machine has not changed, another client took it. To avoid
 * two clients taking it from each other in turn, it is then opened again only by `takeBack`, when the user types.
 */
export class HeldConnection {
  readonly #options: HeldConnectionOptions;
  readonly #backoff: Backoff;
  #state: State = { kind: 'off' };
  #timer: Timer | undefined;
  #isPaused = false;
  /** The last message. */
  #said: string | undefined;

  constructor(options: HeldConnectionOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ ...BACKOFF, random: options.random });
  }

  /** `waiting`: it is being opened, or will be. */
  get state(): 'open' | 'waiting' | 'off' | 'taken' | 'closed' {
    const { kind } = this.#state;
    return kind === 'connecting' || kind === 'evaluating' || kind === 'retrying' ? 'waiting' : kind;
  }

  get socket(): ConsoleSocket | undefined {
    return this.#state.kind === 'open' ? this.#state.socket : undefined;
  }

  start(): void {
    if (placeOf(this.#options.instance()) === undefined) this.#switchOff();
    else this.#connect();
  }

  /** Call after every change of the VMI. */
  follow(): void {
    const place = placeOf(this.#options.instance());
    if (this.#state.kind === 'evaluating') this.#evaluate();
    else if (this.#state.kind === 'open') this.#doubt(this.#state);
    else if (this.#state.kind === 'off' && place !== undefined) this.#connect();
    else if (this.#state.kind !== 'closed' && place === undefined) this.#switchOff();
  }

  /** Opens a connection that another client has taken. */
  takeBack(): void {
    if (this.#state.kind === 'taken') this.#connect();
  }

  /** Ends the connection as if it had broken. */
  restart(): void {
    if (this.#state.kind !== 'open') return;
    this.#state.socket.close();
    this.#ended(true);
  }

  pause(): void {
    this.#isPaused = true;
    this.socket?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.socket?.resume();
  }

  close(): void {
    const { socket } = this;
    this.#enter({ kind: 'closed' });
    socket?.close();
  }

  #enter(state: State): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#state = state;
  }

  #switchOff(): void {
    this.#enter({ kind: 'off' });
    this.#tell('Off', `the machine is off; its ${this.#options.noun} comes when it is on`);
  }

  #connect(): void {
    const state: State = { kind: 'connecting', place: placeOf(this.#options.instance()) };
    this.#enter(state);
    this.#open().then(
      (socket) => {
        if (this.#state === state) this.#opened(socket, state.place ?? { uid: '', node: '' });
        else socket.close();
      },
      (error: unknown) => {
        if (this.#state === state) this.#failed(error);
      },
    );
  }

  /** Opens a socket whose events are ignored once it is replaced. */
  async #open(): Promise<ConsoleSocket> {
    const { open, listener } = this.#options;
    const isInUse = (): boolean => this.socket === socket;
    const socket: ConsoleSocket = await open({
      received: (data) => {
        if (isInUse()) listener.received(data);
      },
      written: () => {
        if (isInUse()) listener.written();
      },
      closed: (isBroken) => {
        if (isInUse()) this.#ended(isBroken);
      },
    });
    return socket;
  }

  #opened(socket: ConsoleSocket, place: ConsolePlace): void {
    this.#enter({ kind: 'open', socket, place, since: this.#options.clock.now() });
    this.#said = undefined;
    if (!this.#isPaused) socket.resume();
    this.#options.listener.opened(socket);
  }

  #failed(error: unknown): void {
    // The subresource and the watch may briefly disagree; the next attempt follows the watch.
    const isEarly = error instanceof ApiError && [400, 404, 409].includes(error.status);
    if (error instanceof ApiError && !isEarly) {
      this.#tell('Refused', `the ${this.#options.noun} is refused: ${error.serverMessage}`);
    } else if (!isEarly) {
      this.#tellLost();
    }
    this.#retry();
  }

  #retry(): void {
    this.#enter({ kind: 'retrying' });
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#connect();
    }, this.#backoff.next());
  }

  #ended(isBroken: boolean): void {
    if (this.#state.kind !== 'open') return;
    const { place, since } = this.#state;
    if (this.#options.clock.now() - since >= LASTING) this.#backoff.reset();
    this.#enter({ kind: 'evaluating', place, isBroken });
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#conclude(isBroken);
    }, JUDGEMENT_TIME);
    this.#evaluate();
  }

  #evaluate(): void {
    if (this.#state.kind !== 'evaluating') return;
    const { place, isBroken } = this.#state;
    switch (evaluateClosure(place, this.#options.instance())) {
      case 'Off':
        this.#switchOff();
        return;
      case 'Moved':
        this.#connect();
        return;
      case 'Moving':
        this.#retry();
        return;
      case 'Unknown':
        if (isBroken) this.#conclude(isBroken);
    }
  }

  #conclude(isBroken: boolean): void {
    if (isBroken) {
      this.#tellLost();
      this.#retry();
      return;
    }
    this.#enter({ kind: 'taken' });
    this.#tell('Taken', `another viewer has taken the ${this.#options.noun}; press a key to take it back`);
  }

  /** Closes a connection that stays open although its machine is gone. */
  #doubt(state: State & { kind: 'open' }): void {
    if (this.#timer !== undefined || !this.#isGone(state)) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isGone(state)) return;
      state.socket.close();
      this.#ended(true);
    }, ENDING_TIME);
  }

  /** A machine that is shutting down still writes output. */
  #isGone({ place: held }: State & { kind: 'open' }): boolean {
    const place = placeOf(this.#options.instance());
    return place?.uid !== held.uid || place.node !== held.node;
  }

  #tellLost(): void {
    this.#tell('Lost', `the ${this.#options.noun} was lost; it is being opened again`);
  }

  #tell(kind: ConnectionGap['kind'], message: string): void {
    const isNews = this.#said !== message;
    this.#said = message;
    this.#options.listener.interrupted({ kind, message }, isNews);
  }
}

/** Location of the consoles of a running VM: one VMI on one node. */
interface ConsolePlace {
  uid: string;
  node: string;
}

/** Undefined if there is nothing to connect to. */
function placeOf(vmi: VirtualMachineInstance | undefined): ConsolePlace | undefined {
  if (vmi?.status?.phase !== 'Running') return undefined;
  return { uid: vmi.metadata.uid ?? '', node: vmi.status.nodeName ?? '' };
}

/**
 * Why a connection to `held` has ended, according to the VMI:
 *
 * - `Off`: the machine is off or shutting down. - `Moved`: the console is at another place. - `Moving`: a live
 * migration is in progress. - `Unknown`: the machine has not changed, or the watch is stale.
 */
type Closure = 'Off' | 'Moved' | 'Moving' | 'Unknown';

function evaluateClosure(held: ConsolePlace, vmi: VirtualMachineInstance | undefined): Closure {
  const place = placeOf(vmi);
  if (vmi === undefined || place === undefined) return 'Off';
  if (place.uid !== held.uid || place.node !== held.node) return 'Moved';
  if (vmi.metadata.deletionTimestamp !== undefined) return 'Off';
  const migration = vmi.status?.migrationState;
  if (migration !== undefined && migration.completed !== true && migration.failed !== true) return 'Moving';
  return 'Unknown';
}
