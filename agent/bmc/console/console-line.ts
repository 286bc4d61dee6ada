import type { VirtualMachineInstance } from '../../../api/index.ts';
import { ApiError, Backoff, type Clock, type ObjectRef, type Timer } from '@groundcrew/controller-runtime';
import type { SerialLine, SerialListener } from '../../../protocols/machine/index.ts';
import { type ConsolePlace, evaluateClosure, placeOf } from './console-place.ts';
import type { ConsoleSocket, OpenConsoleSocket } from './console-socket.ts';

export interface ConsoleLineOptions {
  vm: Required<ObjectRef>;
  open: OpenConsoleSocket;
  listener: SerialListener;
  /** The VMI as the watch has it. */
  instance: () => VirtualMachineInstance | undefined;
  clock: Clock;
  /** From 0 up to 1. */
  random: () => number;
}

/** ms for the watch to tell of what may have ended a connection: both are told by different ways. */
const JUDGEMENT_TIME = 1_500;
/** ms for a connection to end by itself where its machine is gone from there; that of a node that died never does. */
const ENDING_TIME = 10_000;
/** ms that a connection has to last for the next one to be tried without delay. */
const LASTING = 5_000;
/** Of attempts to connect; ms. */
const BACKOFF = { base: 500, max: 10_000 };
/** Bytes sent and not gone out at which typing is to stop, and those at which it may go on. */
const HIGH_WATER = 64 * 1024;
const LOW_WATER = 16 * 1024;
/** Bytes typed while it connects at which typing is to stop. */
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
 * The serial line of a VM, held through reboots, live migrations and power cycles. KubeVirt gives the console to whoever came last
 * and tells the one before nothing but that it is over: where nothing has happened to the machine, it was taken. Two that take it
 * from each other at once would both be of no use, so it is taken back only when its user asks for it by typing.
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
  /** What was said last; nothing is said twice in a row. */
  #said: string | undefined;

  constructor(options: ConsoleLineOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ ...BACKOFF, random: options.random });
  }

  start(): void {
    if (placeOf(this.#options.instance()) === undefined) this.#switchOff();
    else this.#connect();
  }

  /** The watch has told something of the VMI. */
  follow(): void {
    const place = placeOf(this.#options.instance());
    if (this.#state.kind === 'evaluating') this.#evaluate();
    else if (this.#state.kind === 'open') this.#doubt(this.#state);
    else if (this.#state.kind === 'off' && place !== undefined) this.#connect();
    else if (this.#state.kind !== 'closed' && place === undefined) this.#switchOff();
  }

  /** Somebody else of this BMC's clients has it from now on. */
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

  /** A socket that tells of itself only while it is the one in use. */
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
    // The subresource and the watch may disagree for a moment; the next attempt follows the watch.
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
    // It was meant for what was on the screen then.
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

  /** Gives a connection up that has not ended though its machine is no longer there. */
  #doubt(state: State & { kind: 'open' }): void {
    if (this.#timer !== undefined || !this.#isGone(state)) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isGone(state)) return;
      state.socket.close();
      this.#ended(true);
    }, ENDING_TIME);
  }

  /** A machine that is being shut down is still there, and may have much to say. */
  #isGone({ place: held }: State & { kind: 'open' }): boolean {
    const place = placeOf(this.#options.instance());
    return place?.uid !== held.uid || place.node !== held.node;
  }

  /** A line of the BMC's own in the machine's output. */
  #say(text: string): void {
    if (this.#said === text) return;
    this.#said = text;
    this.#options.listener.received(Buffer.from(`\r\n[${text}]\r\n`));
  }
}
