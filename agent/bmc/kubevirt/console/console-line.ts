import type { VirtualMachineInstance } from '../../../../api/index.ts';
import { ApiError, Backoff, type Clock, type ObjectRef, type Timer } from '@groundcrew/controller-runtime';
import type { SerialLine, SerialListener } from '../../../../protocols/machine/index.ts';
import type { ConsoleSocket, OpenConsoleSocket } from './console-socket.ts';

export interface ConsoleLineOptions {
  vm: Required<ObjectRef>;
  open: OpenConsoleSocket;
  listener: SerialListener;
  /** The VMI from the watch cache. */
  instance: () => VirtualMachineInstance | undefined;
  clock: Clock;
  /** From 0 up to 1. */
  random: () => number;
}

/** ms to wait for the watch to report why a connection ended. */
const JUDGEMENT_TIME = 1_500;
/** ms for a connection to close after its machine has left the node; that of a dead node never closes. */
const ENDING_TIME = 10_000;
/** ms that a connection must last for the next attempt to start without delay. */
const LASTING = 5_000;
/** Delays between connection attempts; ms. */
const BACKOFF = { base: 500, max: 10_000 };
/** Unsent bytes at which input stops, and at which it resumes. */
const HIGH_WATER = 64 * 1024;
const LOW_WATER = 16 * 1024;
/** Bytes of input kept while connecting; input stops at this limit. */
const MOST_TYPED_AHEAD = 4 * 1024;

type State =
  | { kind: 'off' | 'retrying' | 'taken' | 'closed' }
  | { kind: 'connecting'; place: ConsolePlace | undefined }
  | { kind: 'open'; socket: ConsoleSocket; place: ConsolePlace; since: number }
  | { kind: 'evaluating'; place: ConsolePlace; isBroken: boolean };

const SAYINGS = {
  off: 'the machine is off; its console comes when it is on',
  lost: 'the console was lost; it is being opened again',
  taken: 'another viewer has taken the console; press a key to take it back',
} as const;

/**
 * The serial line of a VM, kept open through reboots, live migrations and power cycles. KubeVirt gives the console to
 * the latest client and closes the previous connection without a reason: if the machine has not changed, another client
 * took it. To avoid two clients taking it from each other in turn, the line reconnects only when its user types.
 */
export class ConsoleLine implements SerialLine {
  readonly #options: ConsoleLineOptions;
  readonly #backoff: Backoff;
  #state: State = { kind: 'off' };
  #timer: Timer | undefined;
  #typed: Buffer[] = [];
  #typedBytes = 0;
  #isPaused = false;
  #isBlocked = false;
  /** The last message; it is not repeated. */
  #said: string | undefined;

  constructor(options: ConsoleLineOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ ...BACKOFF, random: options.random });
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

  /** Another client of this BMC has taken over the line. */
  supersede(): void {
    if (this.#state.kind === 'closed') return;
    this.close();
    this.#options.listener.closed('TakenOver');
  }

  write(data: Buffer): boolean {
    switch (this.#state.kind) {
      case 'open':
        this.#state.socket.send(data);
        this.#isBlocked = this.#state.socket.buffered >= HIGH_WATER;
        return !this.#isBlocked;
      case 'taken':
        this.#connect();
        return true;
      case 'connecting':
      case 'evaluating':
      case 'retrying':
        this.#typed.push(data);
        this.#typedBytes += data.length;
        this.#isBlocked = this.#typedBytes >= MOST_TYPED_AHEAD;
        return !this.#isBlocked;
      case 'off':
      case 'closed':
        return true;
    }
  }

  pause(): void {
    this.#isPaused = true;
    if (this.#state.kind === 'open') this.#state.socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#state.kind === 'open') this.#state.socket.resume();
  }

  close(): void {
    const state = this.#state;
    this.#enter({ kind: 'closed' });
    if (state.kind === 'open') state.socket.close();
  }

  #enter(state: State): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#state = state;
  }

  #switchOff(): void {
    this.#enter({ kind: 'off' });
    this.#forgetTyped();
    this.#say(SAYINGS.off);
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
    const { open, vm, listener } = this.#options;
    const isInUse = (): boolean => this.#state.kind === 'open' && this.#state.socket === socket;
    const socket: ConsoleSocket = await open(vm, {
      received: (data) => {
        if (isInUse()) listener.received(data);
      },
      written: () => {
        if (isInUse()) this.#drain();
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
    for (const data of this.#typed) socket.send(data);
    this.#typed = [];
    this.#typedBytes = 0;
    this.#drain();
  }

  #failed(error: unknown): void {
    // The subresource and the watch may briefly disagree; the next attempt follows the watch.
    const isEarly = error instanceof ApiError && [400, 404, 409].includes(error.status);
    if (error instanceof ApiError && !isEarly) this.#say(`the console is refused: ${error.serverMessage}`);
    else if (!isEarly) this.#say(SAYINGS.lost);
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
      this.#say(SAYINGS.lost);
      this.#retry();
      return;
    }
    this.#enter({ kind: 'taken' });
    // The input was meant for the previous screen.
    this.#forgetTyped();
    this.#say(SAYINGS.taken);
  }

  #drain(): void {
    if (this.#state.kind === 'open' && this.#state.socket.buffered <= LOW_WATER) this.#unblock();
  }

  #forgetTyped(): void {
    this.#typed = [];
    this.#typedBytes = 0;
    this.#unblock();
  }

  #unblock(): void {
    if (!this.#isBlocked) return;
    this.#isBlocked = false;
    this.#options.listener.drained();
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

  /** Writes a message of the BMC into the machine's output. */
  #say(text: string): void {
    if (this.#said === text) return;
    this.#said = text;
    this.#options.listener.received(Buffer.from(`\r\n[${text}]\r\n`));
  }
}

/** Location of the serial port of a running VM: one VMI on one node. */
export interface ConsolePlace {
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
export type Closure = 'Off' | 'Moved' | 'Moving' | 'Unknown';

function evaluateClosure(held: ConsolePlace, vmi: VirtualMachineInstance | undefined): Closure {
  const place = placeOf(vmi);
  if (vmi === undefined || place === undefined) return 'Off';
  if (place.uid !== held.uid || place.node !== held.node) return 'Moved';
  if (vmi.metadata.deletionTimestamp !== undefined) return 'Off';
  const migration = vmi.status?.migrationState;
  if (migration !== undefined && migration.completed !== true && migration.failed !== true) return 'Moving';
  return 'Unknown';
}
