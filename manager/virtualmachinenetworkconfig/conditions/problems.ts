import { formatIpv4, isExcluded, isReleased, reservedAs, addressSpaceOf, type IPLease } from '../../../api/index.ts';
import type { FixedAddress, Inputs, InterfaceInputs, PoolInputs } from '../inputs.ts';
import { otherMachine } from './lease-state.ts';

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
  const use = reservedAs(space, address);
  if (use !== undefined) {
    const message = `${what} is ${use} of ${name}. Choose another address.`;
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
  const since = isReleased(lease) ? `was released, but ${whose} may still use it${until}` : `is leased to ${whose}`;
  const message = `${described(fixed)} ${since}. It is leased here as soon as it is free; else choose another address.`;
  return { reason: REASONS.addressInUse, message };
}

/** The address is fixed, or enough others are in quarantine: a user has to find the other machine that uses it. */
export function conflict(lease: IPLease, fixed: FixedAddress | undefined): Problem {
  const { ipAddress, macAddress } = lease.spec;
  const [what, advice] =
    fixed === undefined
      ? [ipAddress, 'It is kept: enough addresses are in quarantine already. Find that machine.']
      : [described(fixed), 'Find that machine, or choose another address.'];
  const message = `${what} is leased to ${macAddress}, but ${otherMachine(lease)} answers ARP requests for it. ${advice}`;
  return { reason: REASONS.addressConflict, message };
}

function described({ address, by }: FixedAddress): string {
  const text = formatIpv4(address);
  return by === 'spec' ? `ipAddress ${text}` : `The reserved address ${text}`;
}

/** Why no pool of the network leases addresses. */
export function poolProblem({ network, pools }: Pick<InterfaceInputs, 'network' | 'pools'>): Problem {
  const [first] = pools;
  if (first !== undefined) return problemOf(first);
  const message = `No IPPool serves network ${network}. Create one whose spec.networkName is ${network}; it is taken up when it is there.`;
  return { reason: REASONS.noPool, message };
}

/** Why a pool leases no addresses. */
export function problemOf({ pool, standing, conflict }: PoolInputs): Problem {
  const name = `IPPool ${pool.metadata.namespace ?? ''}/${pool.metadata.name}`;
  switch (standing) {
    case 'Paused':
      return {
        reason: REASONS.poolPaused,
        message: `${name} is paused and gives no addresses. Set its spec.paused to false.`,
      };
    case 'Ends':
      return { reason: REASONS.poolDeleting, message: `${name} is being deleted and gives no addresses.` };
    case 'Collides': {
      const { field, value, message: why } = conflict ?? { field: '', value: '', message: '' };
      const message = `${name} gives no addresses: its ${field} ${value} ${why}, which is older. Change the addresses of one of them.`;
      return { reason: REASONS.poolCollides, message };
    }
    case 'Invalid': {
      const [problem] = addressSpaceOf(pool.spec).problems;
      const why =
        problem === undefined ? 'it has no spec.ipv4Config' : `${problem.field} ${problem.value} ${problem.message}`;
      return { reason: REASONS.poolInvalid, message: `${name} gives no addresses: ${why}.` };
    }
    case 'Gives': {
      const { resting = 0 } = pool.status?.ipv4 ?? {};
      const rest = resting === 0 ? '' : ` (${resting} rest: see its condition Exhausted)`;
      return {
        reason: REASONS.poolExhausted,
        message: `${name} has no free address${rest}. Widen its range, or add a pool on its network; the next address that is free is taken.`,
      };
    }
  }
}

/** A MAC address must be unique on its network, because DHCP identifies clients by it. */
export function duplicate({ macAddress, network, rival }: InterfaceInputs): Problem {
  const reason = REASONS.duplicateMAC;
  if (rival === undefined) {
    const message = `spec.networkConfigs has ${macAddress} on ${network} more than once. Give each interface its own MAC address.`;
    return { reason, message };
  }
  const { namespace = '', name } = rival.metadata;
  const whose =
    'vmName' in rival.spec
      ? `VirtualMachineNetworkConfig ${namespace}/${name} of VirtualMachine ${rival.spec.vmName}`
      : `IPLease ${namespace}/${name}, which is kept for VirtualMachine ${rival.spec.vmRef?.name ?? ''}`;
  const message =
    `MAC address ${macAddress} on ${network} belongs to ${whose} already. ` +
    'Give this interface another one; it gets an address as soon as the MAC address is its own.';
  return { reason, message };
}

/** Addresses are for machines that exist: anyone could otherwise take any number of them, and the MAC addresses of others. */
export function unbacked({ macAddress, network }: InterfaceInputs, { config, hasVirtualMachine }: Inputs): Problem {
  const { namespace = '' } = config.metadata;
  const vm = `VirtualMachine ${namespace}/${config.spec.vmName}`;
  if (!hasVirtualMachine) {
    const message = `There is no ${vm}. Create it; the interface gets an address then.`;
    return { reason: REASONS.virtualMachineNotFound, message };
  }
  const message = `${vm} has no interface on ${network} with MAC address ${macAddress}. Correct one of the two; the interface gets an address then.`;
  return { reason: REASONS.interfaceNotFound, message };
}

/** The namespace has as many addresses as the installation allows. */
export function quotaExceeded(namespace: string, most: number): Problem {
  const message =
    `The VMs of namespace ${namespace} have ${most} addresses, the most that a namespace may have. ` +
    'Delete configs that need no address, or have the chart value dhcp.addressesPerNamespace raised.';
  return { reason: REASONS.quotaExceeded, message };
}

/** The problem of an interface. */
export interface Problem {
  reason: Reason;
  /** A sentence that says what to do. */
  message: string;
}

/** Reasons of the condition Allocated; they are stable. */
export const REASONS = {
  allocated: 'Allocated',
  paused: 'Paused',
  /** No IPPool serves the network. */
  noPool: 'NoPool',
  poolPaused: 'PoolPaused',
  /** An older pool of the network has the same addresses. */
  poolCollides: 'PoolCollides',
  poolInvalid: 'PoolInvalid',
  poolDeleting: 'PoolDeleting',
  /** All addresses are leased. */
  poolExhausted: 'PoolExhausted',
  duplicateMAC: 'DuplicateMAC',
  /** The config's VM does not exist. */
  virtualMachineNotFound: 'VirtualMachineNotFound',
  /** The VM does not have that MAC address on that network. */
  interfaceNotFound: 'InterfaceNotFound',
  /** The namespace has as many addresses as it may have. */
  quotaExceeded: 'QuotaExceeded',
  addressOutOfNetwork: 'AddressOutOfNetwork',
  /** The network or broadcast address, or that of a server or the router. */
  addressUnusable: 'AddressUnusable',
  addressExcluded: 'AddressExcluded',
  addressReserved: 'AddressReserved',
  addressInUse: 'AddressInUse',
  /** The address is fixed, and another machine uses it. */
  addressConflict: 'AddressConflict',
  /** The VM had the address with another MAC address until now. */
  handingOver: 'HandingOver',
  /** Other managers won the address repeatedly. */
  contended: 'Contended',
  /** The API server rejected the lease. */
  refused: 'Refused',
} as const;

export type Reason = (typeof REASONS)[keyof typeof REASONS];
