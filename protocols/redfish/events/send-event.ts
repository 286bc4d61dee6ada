import type { RedfishOptions } from '../options.ts';
import { admitDestination } from './admit-destination.ts';
import { postEvent, type Posting } from './post-event.ts';
import { within } from '../../within.ts';

/** Timeout of a delivery, including the DNS lookup, ms. */
export const PATIENCE = 10_000;

/**
 * Sends an event after a check of its destination.
 *
 * @throws RefusedDestination, ListenerRefusal, TooLate, MachineError, Error of node:dns, node:net and node:tls
 */
export async function sendEvent(
  posting: Posting,
  { listeners, schedule }: Pick<RedfishOptions, 'listeners' | 'schedule'>,
): Promise<void> {
  await within(PATIENCE, schedule, async (signal) => {
    const url = new URL(posting.destination);
    const addresses = await admitDestination(url, listeners);
    const isVerified = url.protocol === 'https:' && posting.verifiesCertificate;
    const ca = isVerified ? await listeners.authorities?.() : undefined;
    signal.throwIfAborted();
    await postEvent(posting, { addresses, ...(ca === undefined ? {} : { ca }), signal });
  });
}
