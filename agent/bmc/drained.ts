import { sleep, type Clock } from '@groundcrew/controller-runtime';

/** A server with clients. */
export interface Drainable {
  /** Refuses new clients. */
  drain(): void;
  /** Clients that are logged in over IPMI. */
  readonly sessionCount: number;
  /** While draining: connections with a Redfish request in progress. */
  readonly connectionCount: number;
}

const NEVER = new AbortController().signal;
/** Poll interval in milliseconds. */
const PERIOD = 100;

/**
 * Refuses new clients and waits for the current ones.
 *
 * @param patience maximum wait in milliseconds
 */
export async function drained(
  clients: Drainable,
  { clock, patience }: { clock: Clock; patience: number },
): Promise<void> {
  clients.drain();
  // Count intervals: the wall clock may be changed during the wait.
  for (let waited = 0; waited < patience && clients.sessionCount + clients.connectionCount > 0; waited += PERIOD) {
    await sleep(clock, PERIOD, NEVER);
  }
}
