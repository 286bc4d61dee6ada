import {
  contains,
  formatIpv4,
  isExcluded,
  isDeclined,
  isQuarantined,
  isReleased,
  isReserved,
  parseIpv4,
  overlap,
  type AddressSpace,
  type IPLease,
  type Ipv4,
  type Ipv4Range,
} from '../../../api/index.ts';
import { keyOf, type ObjectRef } from '@groundcrew/controller-runtime';
import { isDeepStrictEqual } from 'node:util';

/** Maximum number of entries in `status.ipv4.allocated`; limit of the schema. */
export const SHOWN = 4096;

/** The usage of a pool. */
export interface Usage {
  used: number;
  available: number;
  total: number;
  /** MAC addresses, `RESERVED` and `EXCLUDED` by address. */
  allocated: Readonly<Record<string, string>>;
  /** There are more leases than `allocated` shows. */
  truncated: boolean;
  /** Leases whose address another machine uses. */
  declined: readonly IPLease[];
  /** Released leases that keep others from an address in use by another machine. */
  quarantined: readonly IPLease[];
  /** Leases of addresses that were excluded or reserved later. */
  outside: readonly IPLease[];
  /** Number of addresses without a VM that no other VM gets before the last client's lease has expired. */
  resting: number;
  /** The earliest of these expiries, RFC 3339; undefined if none is known. */
  nextFree: string | undefined;
}

/**
 * Counts a pool's leases. The cost grows with the leases, not with the range.
 *
 * @param leases of the pool
 */
export function usageOf(space: AddressSpace, leases: readonly IPLease[]): Usage {
  const blocked = blockedOf(space);
  const total = space.range.last - space.range.first + 1 - blocked.count;
  const live: { address: Ipv4; lease: IPLease }[] = [];
  const outside: IPLease[] = [];
  const resting: IPLease[] = [];
  const quarantined: { address: Ipv4; lease: IPLease }[] = [];
  let taken = 0;
  for (const lease of leases) {
    const address = parseIpv4(lease.spec.ipAddress);
    if (address === undefined) continue;
    const isInside = contains(space.range, address) && !isBlocked(blocked, address);
    if (isInside) taken += 1;
    // A released lease still blocks its address but has no holder.
    if (isReleased(lease)) {
      if (isQuarantined(lease)) quarantined.push({ address, lease });
      else if (isInside) resting.push(lease);
      continue;
    }
    live.push({ address, lease });
    if (!isInside) outside.push(lease);
  }
  live.sort((a, b) => a.address - b.address);
  return {
    used: live.length,
    available: Math.max(0, total - taken),
    total,
    allocated: allocatedOf(space, blocked, live),
    truncated: live.length > SHOWN,
    declined: live.filter(({ lease }) => isDeclined(lease)).map(({ lease }) => lease),
    quarantined: quarantined.toSorted((a, b) => a.address - b.address).map(({ lease }) => lease),
    outside,
    resting: resting.length,
    nextFree: resting.flatMap(({ status }) => status?.expires ?? []).toSorted()[0],
  };
}

/** Leases first, by address, then the marks of vm-dhcp-controller. */
function allocatedOf(space: AddressSpace, { ranges }: Blocked, live: readonly { address: Ipv4; lease: IPLease }[]) {
  const allocated: Record<string, string> = {};
  let left = SHOWN;
  for (const { address, lease } of live.slice(0, SHOWN)) {
    allocated[formatIpv4(address)] = lease.spec.macAddress;
    left -= 1;
  }
  for (const { first, last } of ranges) {
    for (let address = first; address <= last && left > 0; address += 1) {
      const text = formatIpv4(address);
      if (allocated[text] !== undefined) continue;
      allocated[text] = isExcluded(space, address) && !isReserved(space, address) ? 'EXCLUDED' : 'RESERVED';
      left -= 1;
    }
  }
  return allocated;
}

/**
 * The addresses of a pool's range that are never leased, as sorted disjoint ranges. Their number depends on the entries
 * in the spec only.
 */
interface Blocked {
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

interface View {
  usage: Usage;
  /** Identifies the counted spec. */
  spec: string;
  at: number;
  /** The list with which the usage was compared last. */
  compared?: Allocated;
}

type Allocated = Usage['allocated'];

/** Milliseconds between two counts of a pool: for an empty pool, and for one with the maximum of shown leases. */
const SHORTEST = 1000;
const LONGEST = 10_000;

/**
 * Counts the usage of pools at intervals that grow with their size, so that during many lease changes the cost per
 * lease stays constant.
 */
export class UsageViews {
  readonly #views = new Map<string, View>();

  /**
   * @param spec identifies the spec, and the pool if it was recreated under the same name
   * @param leases of the pool, read only if they are counted
   * @param shown the list in the pool's status: the usage has the same object if its list is equal, so that the two are compared once,
   * and not for each lease
   * @returns the usage, and the milliseconds until the next count if the usage may be out of date
   */
  read(
    pool: ObjectRef,
    spec: string,
    space: AddressSpace,
    leases: () => readonly IPLease[],
    now: number,
    shown?: Allocated,
  ): { usage: Usage; lookAgain?: number } {
    const last = this.#views.get(keyOf(pool));
    if (last?.spec === spec) {
      const due = last.at + interval(last.usage) - now;
      if (due > 0) return { usage: sharing(last, shown), lookAgain: due };
    }
    const view: View = { usage: usageOf(space, leases()), spec, at: now };
    this.#views.set(keyOf(pool), view);
    return { usage: sharing(view, shown) };
  }

  forget(pool: ObjectRef): void {
    this.#views.delete(keyOf(pool));
  }
}

function sharing(view: View, shown: Allocated | undefined): Usage {
  if (shown !== undefined && shown !== view.compared) {
    view.compared = shown;
    if (isDeepStrictEqual(shown, view.usage.allocated)) view.usage = { ...view.usage, allocated: shown };
  }
  return view.usage;
}

function interval({ used }: Usage): number {
  return SHORTEST + (Math.min(used, SHOWN) / SHOWN) * (LONGEST - SHORTEST);
}
