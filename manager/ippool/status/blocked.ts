import { overlap, type AddressSpace, type Ipv4, type Ipv4Range } from '../../../api/index.ts';

/**
 * The addresses of a pool's range that are never leased, as sorted disjoint ranges. Their number depends on the entries
 * in the spec only.
 */
export interface Blocked {
  ranges: readonly Ipv4Range[];
  /** Number of addresses in the ranges. */
  count: number;
}

export function blockedOf({ cidr, range, servers, router, excluded }: AddressSpace): Blocked {
  const edges = cidr.prefix <= 30 ? [cidr.first, cidr.last] : [];
  const single = [...edges, ...servers, ...(router === undefined ? [] : [router])];
  const all = [...excluded, ...single.map((address) => ({ first: address, last: address }))]
    .filter((each) => overlap(each, range))
    .map(({ first, last }) => ({ first: Math.max(first, range.first), last: Math.min(last, range.last) }))
    .toSorted((a, b) => a.first - b.first);
  const ranges: Ipv4Range[] = [];
  for (const next of all) {
    const last = ranges.at(-1);
    if (last === undefined || next.first > last.last + 1) ranges.push(next);
    else ranges[ranges.length - 1] = { first: last.first, last: Math.max(last.last, next.last) };
  }
  return { ranges, count: ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0) };
}

/** Whether one of the ranges contains the address: O(log n). */
export function isBlocked({ ranges }: Blocked, address: Ipv4): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle];
    if (range === undefined || range.first > address) high = middle;
    else if (range.last < address) low = middle + 1;
    else return true;
  }
  return false;
}
