import { OPTION } from '../../options/option-code.ts';
import { isAtHome } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * REQUEST of a client that chose us out of those who made an offer, RFC 2131 §4.3.2 "SELECTING". Clients of RFC 1541 say in
 * `ciaddr` what they chose.
 */
export const selecting: Rule = (request, lease) => {
  const { packet } = request;
  const asked = packet.u32(OPTION.requestedAddress) ?? packet.ciaddr;
  if (asked === 0) return 'Malformed';
  return asked === lease.ipAddress && isAtHome(request, lease) ? 'Ack' : 'Nak';
};
