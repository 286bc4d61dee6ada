import { namedServer } from './named-server.ts';
import type { Rule } from './rule.ts';

/** RELEASE, RFC 2131 §4.3.4: the client does without its address. It stays its own: the control plane gives addresses. */
export const release: Rule = (request, lease) => {
  const server = namedServer(request, lease);
  if (server === 'none') return 'Malformed';
  if (server !== 'us') return 'OtherServer';
  return request.packet.ciaddr === lease.ipAddress ? 'Noted' : 'Ignored';
};
