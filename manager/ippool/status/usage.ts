import {
  contains,
  formatIpv4,
  isExcluded,
  isReserved,
  LABELS,
  parseIpv4,
  type AddressSpace,
  type IPLease,
  type Ipv4,
} from '../../../api/index.ts';
import { blockedOf, isBlocked, type Blocked } from './blocked.ts';

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
  /** Leases of addresses that were excluded or reserved later. */
  outside: readonly IPLease[];
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
  let taken = 0;
  for (const lease of leases) {
    const address = parseIpv4(lease.spec.ipAddress);
    if (address === undefined) continue;
    const isInside = contains(space.range, address) && !isBlocked(blocked, address);
    if (isInside) taken += 1;
    // A released lease still blocks its address but has no holder.
    if (lease.metadata.labels?.[LABELS.released] !== undefined) continue;
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
    declined: live.filter(({ lease }) => lease.status?.state === 'Declined').map(({ lease }) => lease),
    outside,
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
