import type { IPPoolSpec } from './network-resources.ts';
import {
  contains,
  type Ipv4,
  type Ipv4Cidr,
  type Ipv4Range,
  overlap,
  parseIpv4,
  parseIpv4Cidr,
  parseIpv4Range,
} from './ipv4.ts';

/** The addresses of a pool as numbers. */
export interface AddressSpace {
  cidr: Ipv4Cidr;
  /** From `pool.start` to `pool.end`. */
  range: Ipv4Range;
  excluded: readonly Ipv4Range[];
  /** The servers' addresses in order, without duplicates. */
  servers: readonly Ipv4[];
  router?: Ipv4;
  /** Addresses of reservations as in the spec; they may be outside the range. */
  reserved: readonly string[];
}

/** An invalid field of a pool's spec. */
export interface PoolProblem {
  /** `spec.ipv4Config.pool.start` */
  field: string;
  value: string;
  /** `is not in 10.0.0.0/24` */
  message: string;
}

/** The addresses of a pool, or the problems of its spec. A pool without `ipv4Config` has neither. */
export function addressSpaceOf(spec: IPPoolSpec): { space?: AddressSpace; problems: PoolProblem[] } {
  const config = spec.ipv4Config;
  if (config === undefined) return { problems: [] };
  const problems: PoolProblem[] = [];
  const read = <T>(
    field: string,
    value: string,
    parse: (text: string) => T | undefined,
    what: string,
  ): T | undefined => {
    const parsed = parse(value);
    if (parsed === undefined) problems.push({ field: `spec.ipv4Config.${field}`, value, message: `is not ${what}` });
    return parsed;
  };
  const ADDRESS = 'an IPv4 address';
  const cidr = read('cidr', config.cidr, parseIpv4Cidr, 'an IPv4 network, such as 10.0.0.0/24');
  const first = read('pool.start', config.pool.start, parseIpv4, ADDRESS);
  const last = read('pool.end', config.pool.end, parseIpv4, ADDRESS);
  const router = config.router === undefined ? undefined : read('router', config.router, parseIpv4, ADDRESS);
  const servers = [...new Set([config.serverIP, ...(config.serverIPs ?? [])])].map((text, index) =>
    read(index === 0 ? 'serverIP' : `serverIPs[${index}]`, text, parseIpv4, ADDRESS),
  );
  const excluded = (config.pool.exclude ?? []).map((text, index) =>
    read(`pool.exclude[${index}]`, text, parseIpv4Range, 'an address, a range such as 10.0.0.5-10.0.0.9, or a network'),
  );
  if (problems.length > 0 || cidr === undefined || first === undefined || last === undefined) return { problems };
  const space: AddressSpace = {
    cidr,
    range: { first, last },
    excluded: excluded.filter((range) => range !== undefined),
    servers: servers.filter((server) => server !== undefined),
    ...(router === undefined ? {} : { router }),
    reserved: (config.reservations ?? []).map(({ ipAddress }) => ipAddress),
  };
  if (last < first) {
    const message = `is before pool.start ${config.pool.start}`;
    return { problems: [{ field: 'spec.ipv4Config.pool.end', value: config.pool.end, message }] };
  }
  for (const [field, value, address] of [
    ['pool.start', config.pool.start, first],
    ['pool.end', config.pool.end, last],
  ] as const) {
    if (!contains(cidr, address))
      problems.push({ field: `spec.ipv4Config.${field}`, value, message: `is not in ${config.cidr}` });
  }
  return problems.length > 0 ? { problems } : { space, problems };
}

/** Whether the pool may allocate the address: it is in the range and neither excluded nor reserved. */
export function isAllocatable(space: AddressSpace, address: Ipv4): boolean {
  return contains(space.range, address) && !isReserved(space, address) && !isExcluded(space, address);
}

/** Network and broadcast address, servers and router. */
export function isReserved(space: AddressSpace, address: Ipv4): boolean {
  return reservedAs(space, address) !== undefined;
}

/** What the network itself uses an address for; undefined: nothing. */
export function reservedAs({ cidr, servers, router }: AddressSpace, address: Ipv4): string | undefined {
  if (address === router) return 'the router';
  if (servers.includes(address)) return "a DHCP server's address";
  if (cidr.prefix > 30) return undefined;
  if (address === cidr.first) return 'the network address';
  return address === cidr.last ? 'the broadcast address' : undefined;
}

export function isExcluded({ excluded }: AddressSpace, address: Ipv4): boolean {
  return excluded.some((range) => contains(range, address));
}

/** Whether two pools of one network have common addresses. */
export function collide(a: AddressSpace, b: AddressSpace): boolean {
  return overlap(a.range, b.range);
}
