import { canonicalMac } from '../../../api/index.ts';

/** Why no network card can have the MAC address; undefined if one can. */
export function macProblem(text: string): string | undefined {
  const mac = canonicalMac(text);
  if (mac === undefined) return 'is not a MAC address, such as 52:54:00:12:34:56';
  if (mac === '00:00:00:00:00:00') return 'is not the address of a network card';
  // IEEE 802: the lowest bit of the first octet marks a group address.
  return Number.parseInt(mac.slice(0, 2), 16) % 2 === 1 ? 'is a multicast address, which no card has' : undefined;
}
