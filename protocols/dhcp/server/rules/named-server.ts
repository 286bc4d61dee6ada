import type { Lease } from '../../lease.ts';
import { OPTION } from '../../options/option-code.ts';
import type { ClientRequest } from '../client-request.ts';

/** Whom a message is for by its server identifier (option 54); `none`: it names nobody. */
export type NamedServer = 'us' | 'sibling' | 'stranger' | 'none';

export function namedServer(request: ClientRequest, { settings }: Lease): NamedServer {
  const { packet } = request;
  if (!packet.has(OPTION.serverIdentifier)) return 'none';
  const server = packet.u32(OPTION.serverIdentifier);
  if (server === undefined) return 'stranger';
  if (server === settings.serverAddress || server === request.relay.serverIdOverride) return 'us';
  return settings.siblings.includes(server) ? 'sibling' : 'stranger';
}
