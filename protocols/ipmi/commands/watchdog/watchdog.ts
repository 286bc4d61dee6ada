import { isDeepStrictEqual } from 'node:util';
import { MachineError, type Machine, type PowerAction, type Requester } from '../../../machine/index.ts';
import type { SettingsStore, WatchdogSettings } from '../../settings.ts';
import { decodeTimer, encodeTimer, type WatchdogAction, type WatchdogTimer } from './watchdog-timer.ts';
import { watchdogRequester } from './watchdog-requester.ts';

export interface WatchdogOptions {
  machine: Pick<Machine, 'power' | 'powerState' | 'log'>;
  settings: SettingsStore;
  /** ms since 1970, as the log has them */
  time: () => number;
  /** Whether this process is the one that acts unasked. */
  acts: () => boolean;
  /** Called before it boots the machine. */
  beforeBoot: (requester: Requester) => Promise<void>;
}

const POWER_ACTIONS: Readonly<Record<Exclude<WatchdogAction, 'None'>, PowerAction>> = {
  Reset: 'ForceRestart',
  PowerDown: 'ForceOff',
  PowerCycle: 'PowerCycle',
};

/** Timer uses that watch over a boot, and so go on through one. */
const WATCHES_BOOT: ReadonlySet<number> = new Set([1, 2, 3]);
const BOOTS_OR_STOPS: ReadonlySet<PowerAction> = new Set(['ForceOff', 'PowerCycle', 'ForceRestart']);

/** ms between the first attempts at an action that the machine could not take, and later; and how often it is attempted. */
const RETRY_PERIOD = 5_000;
const MAX_RETRY_PERIOD = 60_000;
const MAX_ATTEMPTS = 30;

/** An action that is to be carried out. */
interface Due {
  action: PowerAction;
  attempts: number;
  /** ms */
  at: number;
}

/**
 * The watchdog timer, IPMI 2.0 §27, on a machine. Its time is looked at about once a second, so that it ends up to a second late and
 * never early.
 *
 * That it is armed outlives the process, how much of its time has passed does not: whoever comes after begins the countdown anew. A
 * guest that lives is not reset because a BMC was replaced, and one that hangs is found, later by that much. In a process
 * that does not act the countdown stands still. An action is asked for before it is noted that the time is over: a crash
 * between the two has it asked for once more, a countdown later, and never leaves it out.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  /** What the fields below were made from; undefined: nobody has set the timer. */
  #state: WatchdogSettings | undefined;
  #timer: WatchdogTimer | undefined;
  /** What was stored when that was looked at last. */
  #stored: WatchdogSettings | undefined;
  /** What of that is yet to be stored. */
  #unsaved: WatchdogSettings | undefined;
  /** ms at which that is attempted. */
  #saveAt = 0;
  /** ms of the countdown when it was last looked at, and when that was. */
  #left = 0;
  #lookedAt = 0;
  #due: Due | undefined;
  #isBusy = false;
  /** The last entry of the log that is from before the countdown began. */
  #seenEntry = 0;
  /** ms since 1970 at which it began. A log that is read later than the timer has entries from before that are new here. */
  #begunAt = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** The data of Get Watchdog Timer. */
  read(now: number): Buffer {
    this.#follow(now);
    const state = { isRunning: this.#isRunning, expired: this.#state?.expired ?? 0, left: this.#leftAt(now) };
    return encodeTimer(this.#timer ?? UNSET, state);
  }

  /** @param request of Set Watchdog Timer. @throws CompletionError, MachineError; it stays as it was then */
  async set(request: Buffer, { user, address }: Requester, now: number): Promise<void> {
    this.#follow(now);
    const timer = decodeTimer(request);
    const isRunning = this.#isRunning && timer.keepsRunning;
    const expired = (this.#state?.expired ?? 0) & ~timer.clears;
    await this.#store({ timer: request.toString('hex'), isRunning, expired, user, address });
    this.#begin(now);
  }

  /**
   * Starts the countdown, or starts it anew.
   *
   * @returns false where nobody has set it yet
   * @throws MachineError; it stays as it was then
   */
  async start({ user, address }: Requester, now: number): Promise<boolean> {
    this.#follow(now);
    if (this.#state === undefined) return false;
    if (!this.#isRunning) await this.#store({ ...this.#state, isRunning: true, user, address });
    this.#begin(now);
    return true;
  }

  /** Ends the countdown without an action; `tick` stores that. */
  stop(): void {
    this.#due = undefined;
    if (this.#state !== undefined && this.#isRunning) this.#take({ ...this.#state, isRunning: false }, 'unsaved');
  }

  /** Looks at the time, and does what is to be done when it is over. Rejects where that failed; it is tried again then. */
  async tick(now: number): Promise<void> {
    this.#follow(now);
    const left = this.#leftAt(now);
    this.#left = left;
    this.#lookedAt = now;
    if (this.#timer !== undefined && this.#isRunning && this.#options.acts()) {
      if (this.#wasRestarted(this.#timer)) this.stop();
      else if (left === 0) this.#expire(this.#timer, now);
    }
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      await this.#carryOut(now);
      if (this.#due === undefined && this.#unsaved !== undefined && this.#saveAt <= now) {
        this.#saveAt = now + RETRY_PERIOD;
        await this.#store(this.#unsaved);
      }
    } finally {
      this.#isBusy = false;
    }
  }

  get #isRunning(): boolean {
    return this.#state?.isRunning === true;
  }

  #leftAt(now: number): number {
    if (!this.#isRunning || !this.#options.acts()) return this.#left;
    return Math.max(0, this.#left - (now - this.#lookedAt));
  }

  #begin(now: number): void {
    this.#left = this.#timer?.countdown ?? 0;
    this.#lookedAt = now;
    this.#due = undefined;
    this.#seenEntry = this.#options.machine.log.entries().at(-1)?.id ?? 0;
    this.#begunAt = this.#options.time();
  }

  /**
   * Takes up what was stored by the process before, or by another that is serving too, which goes before what this one has yet to
   * store. What this one is storing may be seen before that is told as stored, and begins nothing.
   */
  #follow(now: number): void {
    const stored = this.#options.settings.current().watchdog;
    if (stored === undefined || isDeepStrictEqual(stored, this.#stored)) return;
    const isOwn = isDeepStrictEqual(stored, this.#state);
    this.#stored = stored;
    if (isOwn) return;
    this.#take(stored);
    this.#begin(now);
  }

  async #store(state: WatchdogSettings): Promise<void> {
    if (!isDeepStrictEqual(state, this.#options.settings.current().watchdog)) {
      await this.#options.settings.change(() => ({ watchdog: state }));
    }
    this.#stored = state;
    this.#take(state);
  }

  #take(state: WatchdogSettings, saved?: 'unsaved'): void {
    this.#timer = decodeTimer(Buffer.from(state.timer, 'hex'));
    this.#state = state;
    this.#unsaved = saved === undefined ? undefined : state;
    this.#saveAt = 0;
  }

  /**
   * A client has powered the machine off or booted it, or it is off: the watchdog stops (IPMI 2.0 §27.2), since what boots then is not
   * to be reset for having been away.
   */
  #wasRestarted({ use }: WatchdogTimer): boolean {
    const { log } = this.#options.machine;
    if (this.#isOff()) return true;
    if (WATCHES_BOOT.has(use) || (log.entries().at(-1)?.id ?? 0) <= this.#seenEntry) return false;
    const fresh = log.entries().filter(({ id, at }) => id > this.#seenEntry && at >= this.#begunAt);
    this.#seenEntry = log.entries().at(-1)?.id ?? this.#seenEntry;
    return fresh.some(
      ({ event }) => event.kind === 'PowerAction' && event.outcome === 'Accepted' && BOOTS_OR_STOPS.has(event.action),
    );
  }

  /** What is not known stops no watchdog. */
  #isOff(): boolean {
    try {
      return this.#options.machine.powerState() === 'Off';
    } catch (error) {
      if (error instanceof MachineError) return false;
      throw error;
    }
  }

  #expire({ use, action, logs }: WatchdogTimer, now: number): void {
    if (this.#state === undefined) return;
    this.#take({ ...this.#state, isRunning: false, expired: this.#state.expired | (1 << use) }, 'unsaved');
    if (logs) this.#options.machine.log.append({ kind: 'Watchdog', action, use });
    if (action !== 'None') this.#due = { action: POWER_ACTIONS[action], attempts: 0, at: now };
  }

  async #carryOut(now: number): Promise<void> {
    const due = this.#due;
    if (due === undefined || due.at > now || this.#state === undefined) return;
    const { user, address } = this.#state;
    const requester = watchdogRequester({ protocol: 'IPMI', user, address });
    try {
      if (due.action !== 'ForceOff') await this.#options.beforeBoot(requester);
      await this.#options.machine.power(due.action, requester);
      if (this.#due === due) this.#due = undefined;
    } catch (error) {
      if (this.#due === due) this.#due = again(due, error, now);
      throw error;
    }
  }
}

/** A machine that is off has nothing to be reset, and one that can never do it is not asked again. */
function again(due: Due, error: unknown, now: number): Due | undefined {
  const isFinal = error instanceof MachineError && (error.code === 'InvalidState' || error.code === 'NotSupported');
  if (isFinal || due.attempts + 1 >= MAX_ATTEMPTS) return undefined;
  const period = Math.min(RETRY_PERIOD * 2 ** due.attempts, MAX_RETRY_PERIOD);
  return { ...due, attempts: due.attempts + 1, at: now + period };
}

const UNSET: WatchdogTimer = {
  use: 0,
  logs: true,
  keepsRunning: false,
  action: 'None',
  preTimeout: 0,
  clears: 0,
  countdown: 0,
};
