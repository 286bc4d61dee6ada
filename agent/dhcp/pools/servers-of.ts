import type { IPPool } from '../../../api/index.ts';

/** Addresses of a pool's servers, each once: that of the agent with index i is the i-th. */
export function serversOf({ spec: { ipv4Config } }: IPPool): readonly string[] {
  return ipv4Config === undefined ? [] : [...new Set([ipv4Config.serverIP, ...(ipv4Config.serverIPs ?? [])])];
}
