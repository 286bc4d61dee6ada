import { OPTION } from '../../options/option-code.ts';
import { namedServer } from './named-server.ts';
import type { Rule } from './rule.ts';

/** DECLINE, RFC 2131 §4.3.3: somebody else has the address. It is told, and nothing changes here. No answer. */
export const decline: Rule = (request, lease) => {
  const server = namedServer(request, lease);
  if (server === 'none') return 'Malformed';
  if (server !== 'us') return 'OtherServer';
  return request.packet.u32(OPTION.requestedAddress) === lease.ipAddress ? 'Noted' : 'Ignored';
};
