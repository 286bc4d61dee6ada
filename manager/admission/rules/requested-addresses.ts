import {
  addressSpaceOf,
  canonicalMac,
  contains,
  isExcluded,
  isReleased,
  parseIpv4,
  reservedAs,
  type IPLease,
  type IPPool,
  type Ipv4,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import { holderOf } from './pool-conflicts.ts';
import { networkNameErrors, invalid, type FieldError } from './verdict.ts';
import { interfacesOf, type ConfigInputs, type ConfigRule, type Interface } from './config-inputs.ts';

/** A requested address must be in a pool of the network, available for lease, and not held by another config. */
export const requestedAddresses: ConfigRule = (config, _old, inputs) => {
  const errors: FieldError[] = [];
  const warnings: string[] = [];
  const seen = new Map<string, number>();
  for (const [index, each] of interfacesOf(config).entries()) {
    const { field, entry, network } = each;
    const misnamed = networkNameErrors(`${field}.networkName`, entry.networkName);
    errors.push(...misnamed);
    if (misnamed.length > 0) continue;
    const pools = inputs.poolsOf(network);
    // A missing pool is a warning, not an error: objects may be applied in any order.
    if (pools.length === 0) {
      warnings.push(`${field}.networkName: network ${network} has no IPPool yet; the interface waits for one`);
      continue;
    }
    if (entry.ipAddress === undefined) continue;
    const path = `${field}.ipAddress`;
    const address = parseIpv4(entry.ipAddress);
    if (address === undefined) {
      errors.push(invalid(path, entry.ipAddress, 'is not an IPv4 address'));
      continue;
    }
    const key = `${network} ${entry.ipAddress}`;
    const first = seen.get(key);
    if (first !== undefined)
      errors.push({
        field: path,
        type: 'Duplicate',
        value: entry.ipAddress,
        detail: `is that of networkConfigs[${first}]`,
      });
    seen.set(key, first ?? index);
    const { error, warning } = evaluateAddress(address, each, config, pools, inputs);
    if (error !== undefined) errors.push(invalid(path, entry.ipAddress, error));
    if (warning !== undefined) warnings.push(`${path}: ${entry.ipAddress} ${warning}`);
  }
  return { errors, warnings };
};

interface Opinion {
  error?: string | undefined;
  warning?: string;
}

function evaluateAddress(
  address: Ipv4,
  each: Interface,
  config: VirtualMachineNetworkConfig,
  pools: readonly IPPool[],
  inputs: ConfigInputs,
): Opinion {
  const spaces = pools.flatMap((pool) => {
    const { space } = addressSpaceOf(pool.spec);
    return space === undefined ? [] : [{ pool, space }];
  });
  // An invalid pool reports its own condition.
  if (spaces.length === 0) return {};
  const inNetwork = spaces.filter(({ space }) => contains(space.cidr, address));
  const home = inNetwork.find(({ space }) => contains(space.range, address)) ?? inNetwork[0];
  if (home === undefined) return { error: `is in no IPPool of network ${each.network}: ${describe(pools)}` };
  const { pool, space } = home;
  const reservation = keptFor(address, pool);
  const name = `IPPool ${pool.metadata.namespace ?? ''}/${pool.metadata.name}`;
  const use = reservedAs(space, address);
  if (use !== undefined) return { error: `is ${use} of ${name}` };
  if (reservation !== undefined && !isFor(reservation, each, config, pool))
    return {
      error: `is reserved in ${name} for ${reservation.macAddress ?? `VirtualMachine ${reservation.vmName ?? ''}`}`,
    };
  if (reservation === undefined && !contains(space.range, address))
    return { error: `is outside the range of ${describe([pool])}` };
  if (isExcluded(space, address)) return { error: `is excluded in ${name}` };
  const lease = inputs.leaseAt(pool, address);
  return lease === undefined ? {} : taken(lease, each, config);
}

function taken(lease: IPLease, { mac }: Interface, { metadata, spec }: VirtualMachineNetworkConfig): Opinion {
  const { vmNetworkConfigRef: ref, vmRef } = lease.spec;
  const namespace = metadata.namespace ?? '';
  const isOwn = ref?.name === metadata.name && ref.namespace === namespace;
  const isOfVm = vmRef?.name === spec.vmName && (vmRef.namespace ?? namespace) === namespace;
  if (isOwn || isOfVm) return {};
  if (ref === undefined && canonicalMac(lease.spec.macAddress) === mac) return {};
  if (isReleased(lease))
    return { warning: `was ${holderOf(lease)}'s, which may still use it; it is given once its lease has run out` };
  return { error: `is taken by ${holderOf(lease)}` };
}

type Reservation = NonNullable<NonNullable<IPPool['spec']['ipv4Config']>['reservations']>[number];

function keptFor(address: Ipv4, { spec }: IPPool): Reservation | undefined {
  return spec.ipv4Config?.reservations?.find(({ ipAddress }) => parseIpv4(ipAddress) === address);
}

function isFor(
  { macAddress, vmName }: Reservation,
  { mac }: Interface,
  { metadata, spec }: VirtualMachineNetworkConfig,
  pool: IPPool,
): boolean {
  if (macAddress !== undefined) return canonicalMac(macAddress) === mac;
  // A name without a namespace refers to a VM in the pool's namespace.
  const key = vmName?.includes('/') === true ? vmName : `${pool.metadata.namespace ?? ''}/${vmName ?? ''}`;
  return key === `${metadata.namespace ?? ''}/${spec.vmName}`;
}

function describe(pools: readonly IPPool[]): string {
  return pools
    .map(({ metadata, spec }) => {
      const { start = '', end = '' } = spec.ipv4Config?.pool ?? {};
      return `${metadata.namespace ?? ''}/${metadata.name} (${start}-${end})`;
    })
    .join(', ');
}
