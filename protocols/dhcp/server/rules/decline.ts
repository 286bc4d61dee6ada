import { OPTION } from '../../options/option-code.ts';
import { namedServer } from './named-server.ts';
import type { Rule } from './rule.ts';

/**
 * DECLINE, RFC 2131 §4.3.3: somebody else has the address. It is told, and nothing changes here. No answer. So is one to
 * a sibling: a client takes now this one's offer and now the other's, and what it says counts when it says it again.
 */
export const decline: Rule = (request, lease) => {
  const server = namedServer(request, lease);
  if (server === 'none') return 'Malformed';
  if (server === 'stranger') return 'OtherServer';
  return request.packet.u32(OPTION.requestedAddress) === lease.ipAddress ? 'Noted' : 'Ignored';
};
