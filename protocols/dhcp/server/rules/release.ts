import { namedServer } from './named-server.ts';
import type { Rule } from './rule.ts';

/** RELEASE, RFC 2131 §4.3.4. The address stays assigned to the client: the control plane assigns addresses. */
export const release: Rule = (request, lease) => {
  const server = namedServer(request, lease);
  if (server === 'none') return 'Malformed';
  if (server !== 'us') return 'OtherServer';
  return request.packet.ciaddr === lease.ipAddress ? 'Noted' : 'Ignored';
};
