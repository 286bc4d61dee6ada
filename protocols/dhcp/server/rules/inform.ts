import { isInNetwork } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * INFORM, RFC 2131 §4.3.5: the client has an address and asks for the rest. The answer goes to that address, which has to
 * be one of its network: or else anybody could have us send to anywhere.
 */
export const inform: Rule = ({ packet }, lease) => {
  if (packet.ciaddr === 0) return 'Malformed';
  return isInNetwork(lease.settings, packet.ciaddr) ? 'Ack' : 'OtherNetwork';
};
