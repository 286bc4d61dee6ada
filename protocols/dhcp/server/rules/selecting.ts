import { OPTION } from '../../options/option-code.ts';
import { isAtHome } from './network.ts';
import type { Rule } from './rule.ts';

/**
 * REQUEST of a client that accepts an offer of this server, RFC 2131 §4.3.2 "SELECTING". RFC 1541 clients put the requested address
 * in `ciaddr`.
 */
export const selecting: Rule = (request, lease) => {
  const { packet } = request;
  const asked = packet.u32(OPTION.requestedAddress) ?? packet.ciaddr;
  if (asked === 0) return 'Malformed';
  return asked === lease.ipAddress && isAtHome(request, lease) ? 'Ack' : 'Nak';
};
