import { isAtHome, isInNetwork } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * REQUEST of a client with an address, broadcast to all servers and relayed, RFC 2131 §4.3.2 "REBINDING". Unlike a renewing client,
 * it may be in another network now, where its address does not work.
 */
export const rebinding: Rule = (request, lease) => {
  const { ciaddr } = request.packet;
  if (isAtHome(request, lease)) return ciaddr === lease.ipAddress ? 'Ack' : 'Nak';
  return isInNetwork(lease.settings, ciaddr) ? 'Nak' : 'OtherNetwork';
};
