import { sleep, type Clock } from '@groundcrew/controller-runtime';

/** What has clients. */
export interface Drainable {
  /** Lets nobody in any more. */
  drain(): void;
  /** Clients that are logged in over IPMI. */
  readonly sessionCount: number;
  /** Connections over which Redfish is being answered, once it drains. */
  readonly connectionCount: number;
}

const NEVER = new AbortController().signal;
/** Milliseconds between two looks. */
const PERIOD = 100;

/**
 * Lets nobody in any more, and waits until those who are there are through.
 *
 * @param patience milliseconds, after which whoever is there still has to be cut
 */
export async function drained(
  clients: Drainable,
  { clock, patience }: { clock: Clock; patience: number },
): Promise<void> {
  clients.drain();
  // Counted rather than read off the clock, which may be set meanwhile.
  for (let waited = 0; waited < patience && clients.sessionCount + clients.connectionCount > 0; waited += PERIOD) {
    await sleep(clock, PERIOD, NEVER);
  }
}
