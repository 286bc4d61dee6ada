import {
  addressSpaceOf,
  ANNOTATIONS,
  canonicalMac,
  isQuarantined,
  type IPLease,
  type IPPool,
} from '../../api/index.ts';
import { keyOf } from '@groundcrew/controller-runtime';
import type { Newest } from '../ipam/index.ts';
import { BY_QUARANTINE, poolOf } from '../networks/index.ts';

/** Addresses of one pool that one virtual machine, or one MAC address, may have in quarantine. */
const MOST_OF_CLIENT = 3;
/** The part of a pool's range that may be in quarantine. */
const PART_OF_POOL = 1 / 8;

/**
 * Whether the address of a lease in conflict may be in quarantine. The number is limited: a host that answers for every address would
 * drive a machine from one to the next, and use up the pool. The addresses that were released first have precedence.
 *
 * @param lease not released: as if it were released now
 */
export function mayBeQuarantined(
  lease: IPLease,
  pool: IPPool | undefined,
  leases: Pick<Newest<IPLease>, 'find'>,
): boolean {
  const { space } = pool === undefined ? {} : addressSpaceOf(pool.spec);
  if (space === undefined) return false;
  const key = keyOf(poolOf(lease));
  const earlier = leases
    .find(BY_QUARANTINE, key, (other) => keyOf(poolOf(other)) === key)
    .filter((other) => isQuarantined(other) && orderOf(other) < orderOf(lease));
  const size = space.range.last - space.range.first + 1;
  return (
    earlier.length < Math.max(1, Math.floor(size * PART_OF_POOL)) &&
    earlier.filter((other) => isSameClient(other, lease)).length < MOST_OF_CLIENT
  );
}

/** By the time of the release, active leases last. */
function orderOf({ metadata }: IPLease): string {
  return `${metadata.annotations?.[ANNOTATIONS.releasedAt] ?? '9'} ${metadata.name}`;
}

function isSameClient({ spec: a }: IPLease, { spec: b }: IPLease): boolean {
  if (canonicalMac(a.macAddress) === canonicalMac(b.macAddress)) return true;
  return a.vmRef !== undefined && a.vmRef.name === b.vmRef?.name && a.vmRef.namespace === b.vmRef.namespace;
}
