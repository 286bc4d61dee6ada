import { formatIpv4, isExcluded, isReserved, type IPLease } from '../../../api/index.ts';
import type { FixedAddress, InterfaceInputs } from '../inputs.ts';
import { REASONS, type Problem } from './condition-result.ts';
import { isReleased } from './lease-state.ts';
import { poolProblem, problemOf } from './pool-problem.ts';

/**
 * Why a fixed address can never be leased; undefined if it can. It must be in the pool's network and not be reserved
 * for the network's own use. It may be outside the range, which is for dynamic addresses.
 */
export function addressProblem(each: InterfaceInputs, fixed: FixedAddress): Problem | undefined {
  const { pool, address, keptForOther } = fixed;
  const text = formatIpv4(address);
  const what = described(fixed);
  if (each.pools.length === 0) return poolProblem(each);
  if (pool?.addresses === undefined) {
    const networks = each.pools.map(
      ({ pool: { metadata, spec } }) => `${metadata.name} (${spec.ipv4Config?.cidr ?? 'none'})`,
    );
    const message = `${what} is in the network of no IPPool on ${each.network}: ${networks.join(', ')}. Choose another address.`;
    return { reason: REASONS.addressOutOfNetwork, message };
  }
  const { space } = pool.addresses;
  const name = `IPPool ${pool.pool.metadata.namespace ?? ''}/${pool.pool.metadata.name}`;
  if (isReserved(space, address)) {
    const message = `${what} is the network's, the broadcast's, the router's or a DHCP server's on ${name}. Choose another address.`;
    return { reason: REASONS.addressUnusable, message };
  }
  if (isExcluded(space, address)) {
    const message = `${what} is excluded by ${name}. Choose another address, or take it out of spec.ipv4Config.pool.exclude.`;
    return { reason: REASONS.addressExcluded, message };
  }
  if (keptForOther) {
    const { macAddress, virtualMachine } = pool.addresses.reservations.at(address) ?? {};
    const message = `${text} is reserved by ${name} for ${macAddress ?? `VirtualMachine ${virtualMachine ?? ''}`}. Choose another address.`;
    return { reason: REASONS.addressReserved, message };
  }
  return pool.standing === 'Gives' ? undefined : problemOf(pool);
}

export function addressInUse(fixed: FixedAddress, lease: IPLease): Problem {
  const { spec, status } = lease;
  const { vmRef, macAddress } = spec;
  const whose =
    vmRef === undefined ? macAddress : `VirtualMachine ${vmRef.namespace ?? ''}/${vmRef.name} (${macAddress})`;
  const until = status?.expires === undefined ? '' : ` until ${status.expires} at the latest`;
  const since = isReleased(lease) ? `was let go, and ${whose} may hold it still${until}` : `is leased to ${whose}`;
  const message = `${described(fixed)} ${since}. It is leased here as soon as it is free; else choose another address.`;
  return { reason: REASONS.addressInUse, message };
}

/** The address is fixed, so a user has to find the other machine that uses it. */
export function conflict({ spec }: IPLease, fixed: FixedAddress): Problem {
  const message =
    `${described(fixed)} is leased to ${spec.macAddress}, but another machine on the network answers for it. ` +
    'Find that machine, or choose another address.';
  return { reason: REASONS.addressConflict, message };
}

function described({ address, by }: FixedAddress): string {
  const text = formatIpv4(address);
  return by === 'spec' ? `ipAddress ${text}` : `The reserved address ${text}`;
}
