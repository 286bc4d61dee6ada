import type { Lease } from '../../lease.ts';
import { OPTION } from '../../options/option-code.ts';
import type { ClientRequest } from '../client-request.ts';

/** The server that a message names in option 54; `none`: no option. */
export type NamedServer = 'us' | 'sibling' | 'stranger' | 'none';

export function namedServer(request: ClientRequest, { settings }: Lease): NamedServer {
  const { packet } = request;
  if (!packet.has(OPTION.serverIdentifier)) return 'none';
  const server = packet.u32(OPTION.serverIdentifier);
  if (server === undefined) return 'stranger';
  if (server === settings.serverAddress || server === request.relay.serverIdOverride) return 'us';
  return settings.siblings.includes(server) ? 'sibling' : 'stranger';
}
