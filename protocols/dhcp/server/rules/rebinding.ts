import { isAtHome, isInNetwork } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * REQUEST of a client that has an address and asks everybody, RFC 2131 §4.3.2 "REBINDING", through a relay agent: unlike
 * one who renews, it may have been moved to another network, where its address does not work.
 */
export const rebinding: Rule = (request, lease) => {
  const { ciaddr } = request.packet;
  if (isAtHome(request, lease)) return ciaddr === lease.ipAddress ? 'Ack' : 'Nak';
  return isInNetwork(lease.settings, ciaddr) ? 'Nak' : 'OtherNetwork';
};
