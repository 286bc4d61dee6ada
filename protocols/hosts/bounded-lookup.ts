import { TooLate, within } from '../within.ts';

export interface LookupOptions {
  /** Addresses of a name, however long that takes: node:dns cannot be told to stop. */
  readonly lookup: (hostName: string) => Promise<readonly string[]>;
  /** Calls `work` after `delay` ms; returns what cancels that. */
  readonly schedule: (work: () => void, delay: number) => () => void;
}

/** A name was not looked up to the end. */
export class UnfinishedLookup extends Error {
  override readonly name = 'UnfinishedLookup';
  readonly code: 'LookupTimeout' | 'TooManyLookups';

  constructor(code: UnfinishedLookup['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** ms that a caller waits. */
export const LOOKUP_PATIENCE = 5_000;
/** Names that are looked up at once. More than half of its threads libuv does not give them, and what waits there cannot be taken back. */
export const LOOKUPS_AT_ONCE = 2;
/** Callers that wait: more than a BMC has listeners. */
export const MAX_LOOKUPS = 64;

/**
 * Looks names up for a process whose clients choose them, so that those which nobody answers for hold up nothing else for long: each
 * takes one place, however often it is asked for, and a caller whose time is over leaves the line.
 *
 * @returns what throws UnfinishedLookup, or what `lookup` throws
 */
export function boundedLookup({ lookup, schedule }: LookupOptions): LookupOptions['lookup'] {
  const underWay = new Map<string, Promise<readonly string[]>>();
  let callers = 0;

  function begin(hostName: string): Promise<readonly string[]> {
    const found = lookup(hostName).finally(() => underWay.delete(hostName));
    underWay.set(hostName, found);
    return found;
  }

  async function inTurn(hostName: string, late: AbortSignal): Promise<readonly string[]> {
    while (!underWay.has(hostName) && underWay.size >= LOOKUPS_AT_ONCE) {
      await Promise.race(underWay.values()).catch(() => undefined);
      late.throwIfAborted();
    }
    return await (underWay.get(hostName) ?? begin(hostName));
  }

  return async (hostName) => {
    if (callers >= MAX_LOOKUPS) {
      throw new UnfinishedLookup('TooManyLookups', 'too many names are being looked up: try again later');
    }
    callers += 1;
    try {
      return await within(LOOKUP_PATIENCE, schedule, (late) => inTurn(hostName, late));
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
      const why = `nothing is known of its name after ${LOOKUP_PATIENCE / 1000} s`;
      throw new UnfinishedLookup('LookupTimeout', why, { cause: error });
    } finally {
      callers -= 1;
    }
  };
}
