import { OPTION } from '../../options/option-code.ts';
import { namedServer } from './named-server.ts';
import type { Rule } from './rule.ts';

/**
 * DECLINE, RFC 2131 §4.3.3: another host uses the address. It is reported, the lease does not change, and there is no answer.
 * A DECLINE to a sibling is also reported: a client may choose either server each time.
 */
export const decline: Rule = (request, lease) => {
  const server = namedServer(request, lease);
  if (server === 'none') return 'Malformed';
  if (server === 'stranger') return 'OtherServer';
  return request.packet.u32(OPTION.requestedAddress) === lease.ipAddress ? 'Noted' : 'Ignored';
};
