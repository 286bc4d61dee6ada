import { lookup } from 'node:dns/promises';

/** Resolves a name to IPv4 addresses with the system resolver. @throws if the name has no IPv4 address */
export async function resolveIpv4(name: string): Promise<string[]> {
  return (await lookup(name, { family: 4, all: true })).map(({ address }) => address);
}
