import { isIPv4, isIPv6 } from 'node:net';
import type { Requester } from '../../../machine/index.ts';

const PROTOCOLS: Record<Requester['protocol'], number> = { IPMI: 0, Redfish: 1 };

/**
 * The source of a request in the 6 bytes of an OEM record: an IPv4 address or the last 4 bytes of an IPv6 address; 4, 6, or 0 for no
 * address; and the protocol, 0 for IPMI and 1 for Redfish.
 */
export function sourceBytes({ address, protocol }: Requester): Buffer {
  const mapped = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(mapped)) return Buffer.of(...mapped.split('.').map(Number), 4, PROTOCOLS[protocol]);
  if (isIPv6(address)) return Buffer.of(...lastBytes(address), 6, PROTOCOLS[protocol]);
  return Buffer.of(0, 0, 0, 0, 0, PROTOCOLS[protocol]);
}

/** The last two groups; groups replaced by `::` are 0. */
function lastBytes(address: string): number[] {
  const [plain = ''] = address.split('%');
  const tail = plain.slice(plain.lastIndexOf('::') + 1);
  const groups = ['0', '0', ...tail.split(':')].slice(-2);
  return groups.flatMap((group) => {
    const value = Number.parseInt(group === '' ? '0' : group, 16);
    return [value >> 8, value & 0xff];
  });
}
