import { TooLate, within } from '../within.ts';

export interface LookupOptions {
  /** Resolves a name. It may take any time: node:dns lookups cannot be cancelled. */
  readonly lookup: (hostName: string) => Promise<readonly string[]>;
  /** Calls `work` after `delay` ms; returns the function that cancels it. */
  readonly schedule: (work: () => void, delay: number) => () => void;
}

/** The lookup did not finish in time. */
export class UnfinishedLookup extends Error {
  override readonly name = 'UnfinishedLookup';
  readonly code: 'LookupTimeout' | 'TooManyLookups';

  constructor(code: UnfinishedLookup['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Timeout of a caller, ms. */
export const LOOKUP_PATIENCE = 5_000;
/** Maximum number of concurrent lookups. libuv uses at most half of its threads for lookups, and its queue cannot be cancelled. */
export const LOOKUPS_AT_ONCE = 2;
/** Maximum number of waiting callers; more than the listeners of a BMC. */
export const MAX_LOOKUPS = 64;

/**
 * Limits DNS lookups of names that clients choose, so that unanswered names do not block others for long. Each name takes one
 * place, and a caller leaves the queue after its timeout.
 *
 * @returns a function that throws UnfinishedLookup, or what `lookup` throws
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
