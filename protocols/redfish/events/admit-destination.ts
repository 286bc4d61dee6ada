import { evaluateHost, type HostRefusal } from '../../hosts/index.ts';
import type { ListenerPolicy } from '../options.ts';

/** Events may not be sent to this destination; the message is a sentence that says what to do. */
export class RefusedDestination extends Error {
  override readonly name = 'RefusedDestination';
  readonly code = 'RefusedDestination';
}

/**
 * Checks the destination of events before each connection (see `evaluateHost`).
 *
 * @returns addresses to connect to, at least one
 * @throws RefusedDestination, or what `resolve` throws
 */
export async function admitDestination(url: URL, policy: ListenerPolicy): Promise<readonly string[]> {
  const evaluated = await evaluateHost(url, policy.allowedHosts(), policy);
  if ('addresses' in evaluated) return evaluated.addresses;
  throw new RefusedDestination(sentence(url.host, evaluated.refusal));
}

const FIELD = 'spec.redfish.events.allowedHosts of the VirtualMachineBMC';

function sentence(host: string, refusal: HostRefusal): string {
  if (refusal === 'no address') return `${host} has no address.`;
  const what = `Events may not be sent to ${host}`;
  if (refusal === 'unlisted') return `${what}: ${FIELD} names the hosts that they may be sent to.`;
  if (refusal === 'the platform API') return `${what}, which is the platform API: name a listener.`;
  return `${what}, which is ${refusal}: name another listener, or have this address put into ${FIELD}.`;
}
