import { isDeepStrictEqual } from 'node:util';
import { type Machine, MachineError, type PowerAction, type Requester } from '../../../machine/index.ts';
import type { IpmiSettings, SettingsStore, WatchdogSettings } from '../../settings.ts';
import { decodeTimer, encodeTimer, type WatchdogAction, type WatchdogTimer } from './watchdog-timer.ts';

export interface WatchdogOptions {
  machine: Pick<Machine, 'power' | 'powerState' | 'log'>;
  settings: SettingsStore;
  /** ms since 1970, the clock of the log */
  time: () => number;
  /** Whether this process executes actions; only one process of a BMC does. */
  acts: () => boolean;
  /** Called before the watchdog boots the machine. */
  beforeBoot: (requester: Requester) => Promise<void>;
}

const POWER_ACTIONS: Readonly<Record<Exclude<WatchdogAction, 'None'>, PowerAction>> = {
  Reset: 'ForceRestart',
  PowerDown: 'ForceOff',
  PowerCycle: 'PowerCycle',
};

/** Timer uses of boot phases, which continue during a boot. */
const WATCHES_BOOT: ReadonlySet<number> = new Set([1, 2, 3]);
const BOOTS_OR_STOPS: ReadonlySet<PowerAction> = new Set(['ForceOff', 'PowerCycle', 'ForceRestart']);

/** ms between the first and the later retries of a rejected action, and the number of attempts. */
const RETRY_PERIOD = 5_000;
const MAX_RETRY_PERIOD = 60_000;
const MAX_ATTEMPTS = 30;

/** A pending action. */
interface Due {
  action: PowerAction;
  attempts: number;
  /** ms */
  at: number;
}

/**
 * The watchdog timer, IPMI 2.0 §27, of a machine. It is checked about once a second, so it expires up to one second late and never
 * early.
 *
 * The armed state survives the process, but not the elapsed time: the next process restarts the countdown. A healthy guest is not
 * reset because a BMC was replaced; a hanging one is detected later. In a process that does not act, the countdown stands still.
 * An action is requested before the expiry is stored: after a crash in between it is requested again, and never omitted.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  /** The state of the fields below; undefined: the timer was never set. */
  #state: WatchdogSettings | undefined;
  #timer: WatchdogTimer | undefined;
  /** The stored state at the last check. */
  #stored: WatchdogSettings | undefined;
  /** State that is not stored yet. */
  #unsaved: WatchdogSettings | undefined;
  /** ms; time of the next write attempt. */
  #saveAt = 0;
  /** Remaining countdown in ms at the last check, and the time of that check. */
  #left = 0;
  #lookedAt = 0;
  #due: Due | undefined;
  #isBusy = false;
  /** ID of the last log entry before the start of the countdown. */
  #seenEntry = 0;
  /** Start of the countdown, ms since 1970. If the log is read later than the timer, older entries appear as new. */
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

  /** @param request of Set Watchdog Timer. @throws CompletionError, MachineError; then nothing has changed */
  async set(request: Buffer, { user, address }: Requester, now: number): Promise<void> {
    this.#follow(now);
    const timer = decodeTimer(request);
    const isRunning = this.#isRunning && timer.keepsRunning;
    const expired = (this.#state?.expired ?? 0) & ~timer.clears;
    await this.#store({ timer: request.toString('hex'), isRunning, expired, user, address });
    this.#begin(now);
  }

  /**
   * Starts or restarts the countdown.
   *
   * @returns false if the timer was never set
   * @throws MachineError; then nothing has changed
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

  /** Checks the time and executes a due action. Rejects on failure; the next tick retries. */
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
   * Adopts the state stored by a previous or parallel process; it overrides unsaved state of this process. State that this process is
   * storing may be visible before the write is confirmed, and does not restart the countdown.
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

  /** A client has powered off or booted the machine, or it is off: the watchdog stops (IPMI 2.0 §27.2), so that the next boot is not reset. */
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

  /** An unknown state does not stop the watchdog. */
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

/** A machine that is off needs no action, and an action that can never succeed is not retried. */
function again(due: Due, error: unknown, now: number): Due | undefined {
  const isFinal = error instanceof MachineError && (error.code === 'InvalidState' || error.code === 'NotSupported');
  if (isFinal || due.attempts + 1 >= MAX_ATTEMPTS) return undefined;
  const period = Math.min(RETRY_PERIOD * 2 ** due.attempts, MAX_RETRY_PERIOD);
  return { ...due, attempts: due.attempts + 1, at: now + period };
}

/** The stored timer, for other protocols; undefined: it was never set. */
export function watchdogStateOf({
  watchdog,
}: IpmiSettings): { isRunning: boolean; action: WatchdogAction } | undefined {
  if (watchdog === undefined) return undefined;
  return { isRunning: watchdog.isRunning, action: decodeTimer(Buffer.from(watchdog.timer, 'hex')).action };
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

/** Longer than any IPMI user name, so that no user can be mistaken for the watchdog. */
const PREFIX = 'the watchdog that was armed by ';

/** The requester of a watchdog action: the watchdog and the user that armed it. */
export function watchdogRequester({ user, address }: Requester): Requester {
  return { protocol: 'IPMI', user: `${PREFIX}${user}`, address };
}

export function isWatchdogs({ protocol, user }: Requester): boolean {
  return protocol === 'IPMI' && user.startsWith(PREFIX);
}
