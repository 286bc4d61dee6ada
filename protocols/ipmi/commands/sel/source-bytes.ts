import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Requester } from '../../../machine/index.ts';

const PROTOCOLS: Record<Requester['protocol'], number> = { IPMI: 0, Redfish: 1 };

/**
 * The source of a request in the 6 bytes of an OEM record: an IPv4 address or the last 4 bytes of an IPv6 address; 4, 6, or 0 for no
 * address; and the protocol, 0 for IPMI and 1 for Redfish.
 */
export function sourceBytes({ address, protocol }: Requester): Buffer {
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) === 0) return Buffer.of(0, 0, 0, 0, 0, PROTOCOLS[protocol]);
  const parsed = ipaddr.process(plain);
  return Buffer.of(...parsed.toByteArray().slice(-4), parsed.kind() === 'ipv4' ? 4 : 6, PROTOCOLS[protocol]);
}
