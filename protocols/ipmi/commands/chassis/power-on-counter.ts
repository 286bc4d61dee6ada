import { MachineError, type Machine } from '../../../machine/index.ts';
import type { PowerOnCount, SettingsStore } from '../../settings.ts';

/** ms between writes while the machine has power: what a crash can lose of a run whose end nobody sees. */
const WRITE_PERIOD = 3_600_000;
/** ms after a write that failed. */
const RETRY_PERIOD = 60_000;

export interface PowerOnCounterOptions {
  machine: Pick<Machine, 'poweredOnSince'>;
  settings: SettingsStore;
  /** ms since 1970 */
  time: () => number;
}

/** What there is to be counted by now. */
interface Seen {
  readonly count: PowerOnCount;
  readonly hasPower: boolean;
}

/**
 * For how long the machine has had power, as far as the platform tells since when it has and a BMC was there to see until when. A
 * run that began and ended while no BMC looked is not counted: the counter may be behind, and never ahead.
 */
export class PowerOnCounter {
  readonly #options: PowerOnCounterOptions;
  /** What this process has seen beyond what is stored. */
  #count: PowerOnCount | undefined;
  #hadPower = false;
  #nextWrite = -Infinity;
  #isWriting = false;

  constructor(options: PowerOnCounterOptions) {
    this.#options = options;
  }

  /** Whole minutes. @throws MachineError where the machine's state is not known */
  minutes(): number {
    return Math.floor(sum(this.#seen().count) / 60_000);
  }

  /** Looks, and writes where a run has begun or ended, and once an hour; for the one process that acts. */
  async tick(): Promise<void> {
    const time = this.#options.time();
    const before = { count: this.#count, hasPower: this.#hadPower };
    const now = this.#seenIfKnown();
    if (now === undefined) return;
    const { count: seen, hasPower } = now;
    this.#count = seen;
    this.#hadPower = hasPower;
    const stored = this.#options.settings.current().chassis?.powerOn;
    const isLonger = !hasPower && seen.run?.until !== stored?.run?.until;
    const isOther = isLonger || !isSameRun(seen, stored);
    const isRetry = before.count !== undefined && isSameRun(seen, before.count) && before.hasPower === hasPower;
    const isDue = time >= this.#nextWrite || (isOther && !isRetry);
    if (this.#isWriting || !isDue || (!isOther && !hasPower)) return;
    this.#isWriting = true;
    this.#nextWrite = time + RETRY_PERIOD;
    try {
      await this.#options.settings.change(({ chassis }) => ({ chassis: { ...chassis, powerOn: seen } }));
      this.#nextWrite = time + WRITE_PERIOD;
    } finally {
      this.#isWriting = false;
    }
  }

  #seenIfKnown(): Seen | undefined {
    try {
      return this.#seen();
    } catch (error) {
      if (error instanceof MachineError) return undefined;
      throw error;
    }
  }

  /**
   * A run that is over stays until the next begins: a process whose watches are behind may see it still, and counts it on instead of
   * anew.
   */
  #seen(): Seen {
    const { machine, settings, time } = this.#options;
    const counted = later(this.#count, settings.current().chassis?.powerOn);
    const { total, run } = counted;
    const since = machine.poweredOnSince();
    if (since === undefined || since < (run?.since ?? since)) return { count: counted, hasPower: false };
    const until = Math.max(time(), since);
    const seen = (before: number, end: number): Seen => {
      return { count: { total: before, run: { since, until: end } }, hasPower: true };
    };
    if (run === undefined) return seen(total, until);
    // A clock that was put back takes nothing off.
    if (run.since === since) return seen(total, Math.max(until, run.until));
    return seen(total + (Math.min(run.until, since) - run.since), until);
  }
}

/** Another process, which acted before or has acted since, may have counted further. */
function later(a: PowerOnCount = { total: 0 }, b: PowerOnCount = { total: 0 }): PowerOnCount {
  return sum(b) > sum(a) ? b : a;
}

/** But for how long the run of now has been going on. */
function isSameRun(a: PowerOnCount, b: PowerOnCount = { total: 0 }): boolean {
  return a.total === b.total && a.run?.since === b.run?.since;
}

function sum({ total, run }: PowerOnCount): number {
  return total + (run === undefined ? 0 : run.until - run.since);
}
