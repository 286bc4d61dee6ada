import { type Machine, MachineError } from '../../../machine/index.ts';
import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { PowerOnCount, SettingsStore } from '../../settings.ts';
import { refreshed, type SessionCommand } from '../command.ts';

const MINUTES_PER_COUNT = 1;

/** Get POH Counter, IPMI 2.0 §28.14: minutes per count, and a 32-bit count. */
export const getPohCounter: SessionCommand = {
  name: 'Get POH Counter',
  netFn: NET_FN.chassis,
  command: 0x0f,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) =>
    refreshed(bmc.machine, () => {
      const data = Buffer.of(MINUTES_PER_COUNT, 0, 0, 0, 0);
      data.writeUInt32LE(Math.min(bmc.powerOnCounter.minutes(), 0xffff_ffff), 1);
      return data;
    }),
};

/** ms between writes while the machine has power: the maximum loss of a crash if the end of the run is not observed. */
const WRITE_PERIOD = 3_600_000;
/** ms from the start of a run to its first write: when many machines start at once, other writes go first. */
const FIRST_WRITE = 300_000;
/** ms until a failed write is retried. */
const RETRY_PERIOD = 60_000;

export interface PowerOnCounterOptions {
  machine: Pick<Machine, 'poweredOnSince'>;
  settings: SettingsStore;
  /** ms since 1970 */
  time: () => number;
}

/** The count at this moment. */
interface Seen {
  readonly count: PowerOnCount;
  readonly hasPower: boolean;
}

/**
 * Total time with power, as far as the platform reports the start of runs and a BMC observed their end. A run that no BMC observed is
 * not counted: the counter may be low, but never high.
 */
export class PowerOnCounter {
  readonly #options: PowerOnCounterOptions;
  /** The count that this process has observed beyond the stored one. */
  #count: PowerOnCount | undefined;
  #hadPower = false;
  #nextWrite = -Infinity;
  #isWriting = false;

  constructor(options: PowerOnCounterOptions) {
    this.#options = options;
  }

  /** Whole minutes. @throws MachineError if the machine's state is unknown */
  minutes(): number {
    return Math.floor(sum(this.#seen().count) / 60_000);
  }

  /** Updates the count, and stores it soon after the start of a run, at its end and once an hour; only in the process that acts. */
  async tick(): Promise<void> {
    const time = this.#options.time();
    const before = { count: this.#count, hasPower: this.#hadPower };
    const now = this.#seenIfKnown();
    if (now === undefined) return;
    const { count: seen, hasPower } = now;
    this.#count = seen;
    this.#hadPower = hasPower;
    const stored = this.#options.settings.current().chassis?.powerOn;
    const isOther = hasPower ? isUnstored(seen, stored, time) : !isSame(seen, stored);
    const isRetry = before.count !== undefined && isSameRun(seen, before.count) && before.hasPower === hasPower;
    const isDue = time >= this.#nextWrite || (isOther && !isRetry);
    if (this.#isWriting || !isDue || !(isOther || (hasPower && isSameRun(seen, stored) && isOld(stored, time)))) return;
    this.#isWriting = true;
    this.#nextWrite = time + RETRY_PERIOD;
    try {
      await this.#options.settings.change(({ chassis }) => ({ chassis: { ...chassis, powerOn: seen } }));
      this.#nextWrite = time;
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

  /** A finished run is kept until the next begins: a process with delayed watches may still see it, and must not count it twice. */
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
    // A clock that was set back must not reduce the count.
    if (run.since === since) return seen(total, Math.max(until, run.until));
    return seen(total + (Math.min(run.until, since) - run.since), until);
  }
}

/** The higher count: another process may have counted further. */
function later(a: PowerOnCount = { total: 0 }, b: PowerOnCount = { total: 0 }): PowerOnCount {
  return sum(b) > sum(a) ? b : a;
}

/** Equal except for the duration of the current run. */
function isSameRun(a: PowerOnCount, b: PowerOnCount = { total: 0 }): boolean {
  return a.total === b.total && a.run?.since === b.run?.since;
}

/** Equal, also in the end of the last run. */
function isSame(a: PowerOnCount, b: PowerOnCount = { total: 0 }): boolean {
  return isSameRun(a, b) && a.run?.until === b.run?.until;
}

/** Whether the time of finished runs is not stored, or the current run is not and has lasted. */
function isUnstored(seen: PowerOnCount, stored: PowerOnCount = { total: 0 }, time: number): boolean {
  if (isSameRun(seen, stored)) return false;
  return seen.total > sum(stored) || time >= (seen.run?.since ?? time) + FIRST_WRITE;
}

/** Of many BMCs that begin at the same time, only those write whose stored count is old. */
function isOld(stored: PowerOnCount | undefined, time: number): boolean {
  return time >= (stored?.run?.until ?? -Infinity) + WRITE_PERIOD;
}

function sum({ total, run }: PowerOnCount): number {
  return total + (run === undefined ? 0 : run.until - run.since);
}
