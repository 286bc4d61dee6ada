import { lookup } from 'node:dns/promises';

/** IPv4 addresses of a name, as the machine finds them. @throws where it has none */
export async function resolveIpv4(name: string): Promise<string[]> {
  return (await lookup(name, { family: 4, all: true })).map(({ address }) => address);
}
