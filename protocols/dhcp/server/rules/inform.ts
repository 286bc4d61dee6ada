import { isInNetwork } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * INFORM, RFC 2131 §4.3.5: the client has an address and requests options. The answer goes to that address, which must be in its
 * network: otherwise a forged packet could direct traffic to any address.
 */
export const inform: Rule = ({ packet }, lease) => {
  if (packet.ciaddr === 0) return 'Malformed';
  return isInNetwork(lease.settings, packet.ciaddr) ? 'Ack' : 'OtherNetwork';
};
