import {
  addressSpaceOf,
  overlap,
  parseIpv4Cidr,
  parseIpv4Network,
  contains,
  formatIpv4,
  parseIpv4,
  isExcluded,
  isReserved,
  type Ipv4Range,
  type Ipv4Cidr,
  type AddressSpace,
} from '../../../api/index.ts';
import { invalid, type FieldError } from './verdict.ts';
import { CONFIG, type PoolRule, type ClusterRange } from './pool-inputs.ts';

/** Addresses, ranges and networks must be valid, and the pool must be in its network. */
export const addressesParse: PoolRule = ({ spec }) => ({
  errors: addressSpaceOf(spec).problems.map(({ field, value, message }) => invalid(field, value, message)),
});

/** Special-purpose networks that a VM network cannot use (RFC 6890). */
const SPECIAL: readonly [string, string][] = [
  ['0.0.0.0/8', 'addresses of "this network"'],
  ['127.0.0.0/8', 'loopback addresses'],
  ['224.0.0.0/3', 'multicast and reserved addresses'],
];

/** A network must have room for a server and a client, must not be too large to track, and must be usable by hosts. */
export const networkSize: PoolRule = ({ spec }) => {
  const text = spec.ipv4Config?.cidr ?? '';
  const cidr = parseIpv4Cidr(text);
  if (cidr === undefined) return {};
  const field = `${CONFIG}.cidr`;
  if (cidr.prefix > 30)
    return {
      errors: [invalid(field, text, 'is too small: a /30 is the smallest with room for a server and a client')],
    };
  if (cidr.prefix < 8) return { errors: [invalid(field, text, 'is too large: a /8 is the largest network')] };
  const problem = hostBits(text, cidr);
  if (problem !== undefined) return { errors: [invalid(field, text, problem)] };
  const [special] = SPECIAL.filter(([range]) => overlap(cidr, rangeOf(range)));
  return special === undefined ? {} : { errors: [invalid(field, text, `has ${special[1]} (${special[0]})`)] };
};

/** What to write instead of an address with a prefix length; undefined: the text is a network. */
export function hostBits(text: string, { first, prefix }: Ipv4Cidr): string | undefined {
  const network = `${formatIpv4(first)}/${prefix}`;
  return text === network ? undefined : `is an address in ${network}, not the network: write ${network}`;
}

function rangeOf(text: string): Ipv4Range {
  return parseIpv4Cidr(text) ?? { first: 0, last: 0 };
}

/**
 * The servers and the router must be in the network and different from each other. Neither they nor the ends of the
 * range may be the network address or the broadcast address. They may be inside the range: they are never leased.
 */
export const ownAddresses: PoolRule = ({ spec }) => {
  const config = spec.ipv4Config;
  const { space } = addressSpaceOf(spec);
  if (config === undefined || space === undefined) return {};
  const servers = config.serverIPs ?? [config.serverIP];
  const errors: FieldError[] = [];
  const check = (field: string, value: string, isHost: boolean): void => {
    const detail = problemOf(value, config.cidr, space.cidr, isHost);
    if (detail !== undefined) errors.push(invalid(`${CONFIG}.${field}`, value, detail));
  };
  check('pool.start', config.pool.start, false);
  check('pool.end', config.pool.end, false);
  check('serverIP', config.serverIP, true);
  for (const [index, server] of servers.entries()) if (index > 0) check(`serverIPs[${index}]`, server, true);
  if (config.router !== undefined) {
    check('router', config.router, true);
    const index = servers.indexOf(config.router);
    const field = index > 0 ? `serverIPs[${index}]` : 'serverIP';
    if (index >= 0)
      errors.push(invalid(`${CONFIG}.${field}`, config.router, 'is the router: a server needs an address of its own'));
  }
  return { errors };
};

/** Whether the ends of the range are in the network is checked elsewhere. */
function problemOf(value: string, text: string, cidr: Ipv4Cidr, isHost: boolean): string | undefined {
  const address = parseIpv4(value);
  if (address === undefined) return undefined;
  if (!contains(cidr, address)) return isHost ? `is not in ${text}` : undefined;
  if (address === cidr.first) return `is the network address of ${text}`;
  return address === cidr.last ? `is the broadcast address of ${text}` : undefined;
}

/** The range must have at least one address that can be leased. */
export const room: PoolRule = ({ spec }) => {
  const { space } = addressSpaceOf(spec);
  if (space === undefined || countOf(space) > 0) return {};
  const { start, end } = spec.ipv4Config?.pool ?? {};
  return {
    warnings: [
      `${CONFIG}.pool: nothing is left to lease from ${start ?? ''} to ${end ?? ''} without servers, router and excluded addresses`,
    ],
  };
};

function countOf(space: AddressSpace): number {
  const { cidr, range, excluded, servers, router } = space;
  const own = [cidr.first, cidr.last, ...servers, ...(router === undefined ? [] : [router])];
  const reserved = [...new Set(own)].filter(
    (address) =>
      address >= range.first && address <= range.last && isReserved(space, address) && !isExcluded(space, address),
  );
  return range.last - range.first + 1 - covered(range, excluded) - reserved.length;
}

/** Number of addresses of the range that are in any of the other ranges. */
function covered({ first, last }: Ipv4Range, ranges: readonly Ipv4Range[]): number {
  let count = 0;
  let next = first;
  for (const range of [...ranges].sort((a, b) => a.first - b.first)) {
    const from = Math.max(range.first, next);
    const to = Math.min(range.last, last);
    if (to < from) continue;
    count += to - from + 1;
    next = to + 1;
  }
  return count;
}

/** Warns about an excluded address outside the range, which is probably a mistake. */
export const excluded: PoolRule = ({ spec }) => {
  const { space } = addressSpaceOf(spec);
  if (space === undefined) return {};
  const texts = spec.ipv4Config?.pool.exclude ?? [];
  return {
    warnings: space.excluded.flatMap((range, index) =>
      overlap(range, space.range)
        ? []
        : [`${CONFIG}.pool.exclude[${index}]: ${texts[index] ?? ''} is outside the range and excludes nothing`],
    ),
  };
};

/** The range of a pool may only grow, so that every lease stays in it. `exclude` removes addresses. */
export const widening: PoolRule = ({ spec }, old) => {
  const [pool, before] = [spec.ipv4Config?.pool, old?.spec.ipv4Config?.pool];
  if (pool === undefined || before === undefined) return {};
  const errors: FieldError[] = [];
  const [start, startBefore] = [parseIpv4(pool.start), parseIpv4(before.start)];
  const [end, endBefore] = [parseIpv4(pool.end), parseIpv4(before.end)];
  const advice = 'a pool can be widened alone; to lease less, add to exclude';
  if (start !== undefined && startBefore !== undefined && start > startBefore)
    errors.push(invalid(`${CONFIG}.pool.start`, pool.start, `is after ${before.start}: ${advice}`));
  if (end !== undefined && endBefore !== undefined && end < endBefore)
    errors.push(invalid(`${CONFIG}.pool.end`, pool.end, `is before ${before.end}: ${advice}`));
  return { errors };
};

/** Warns about a pool or relay agents in addresses of the cluster: agents or VMs could not reach the cluster there. */
export const clusterRanges: PoolRule = ({ spec }, _old, inputs) => {
  const { cidr = '', relays = [] } = spec.ipv4Config ?? {};
  const warningsFor = (field: string, text: string): string[] => {
    const network = parseIpv4Network(text);
    if (network === undefined) return [];
    return inputs.clusterRanges
      .filter((range) => overlap(range, network) && !inputs.clusterRanges.some((other) => covers(other, range)))
      .map((range) => `${CONFIG}.${field}: ${text} overlaps ${range.text}, which the cluster uses itself`);
  };
  return {
    warnings: [
      ...warningsFor('cidr', cidr),
      ...relays.flatMap((relay, index) => warningsFor(`relays[${index}]`, relay)),
    ],
  };
};

/** Whether a wider range includes this one. */
function covers(wider: ClusterRange, { first, last, prefix }: ClusterRange): boolean {
  return wider.prefix < prefix && wider.first <= first && last <= wider.last;
}
