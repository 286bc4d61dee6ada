import { overlap, parseIpv4Cidr, type Ipv4Range } from '../../../../api/index.ts';
import { invalid } from '../verdict.ts';
import { CONFIG, type PoolRule } from './inputs.ts';

/** Special-purpose networks that a VM network cannot use (RFC 6890). */
const SPECIAL: readonly [string, string][] = [
  ['0.0.0.0/8', 'addresses of "this network"'],
  ['127.0.0.0/8', 'loopback addresses'],
  ['224.0.0.0/3', 'multicast and reserved addresses'],
];

/** A network must have room for a server and a client, must not be too large to track, and must be usable by hosts. */
export const networkSize: PoolRule = ({ spec }) => {
  const text = spec.ipv4Config?.cidr;
  const cidr = text === undefined ? undefined : parseIpv4Cidr(text);
  if (cidr === undefined) return {};
  const field = `${CONFIG}.cidr`;
  if (cidr.prefix > 30)
    return {
      errors: [invalid(field, text, 'is too small: a /30 is the smallest with room for a server and a client')],
    };
  if (cidr.prefix < 8) return { errors: [invalid(field, text, 'is too large: a /8 is the largest network')] };
  const [special] = SPECIAL.filter(([range]) => overlap(cidr, rangeOf(range)));
  return special === undefined ? {} : { errors: [invalid(field, text, `has ${special[1]} (${special[0]})`)] };
};

function rangeOf(text: string): Ipv4Range {
  return parseIpv4Cidr(text) ?? { first: 0, last: 0 };
}
