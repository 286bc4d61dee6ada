import {
  formatIpv4,
  isDeclined,
  isReleased,
  isRetained,
  leaseName,
  parseIpv4,
  type IPLease,
  type Ipv4,
} from '../../../api/index.ts';
import type { Inputs, PoolInputs, FixedAddress, InterfaceInputs, LeaseInputs } from '../inputs.ts';
import { CLAIM } from '../claims.ts';
import { addressInUse, addressProblem, conflict, duplicate, poolProblem, unbacked, type Problem } from './problems.ts';
import { byAge } from '../../by-age.ts';
import { isActive } from './lease-state.ts';

/** The writes needed for the leases. */
export interface Plan {
  /** Executed first. */
  release: readonly Release[];
  /** In the order of the spec; empty if the config gets no leases. */
  interfaces: readonly InterfacePlan[];
}

export interface Release {
  lease: IPLease;
  why: 'Unwanted' | 'Moved' | 'Refused' | 'Conflict' | 'Paused' | 'Deleted' | 'Unbacked' | 'Displaced';
  /** The lease is still served and kept for a VM of the same name. */
  retain?: true;
}

export type InterfacePlan =
  /** The lease is correct, or the best one available. With an address: until that address is free. */
  | { do: 'Keep'; lease: IPLease; result?: Problem; address?: Ipv4 }
  /** Take back a released or retained lease. */
  | { do: 'Revive'; lease: IPLease }
  /** Any address, from the first of these pools that has one. */
  | { do: 'Allocate'; pools: readonly PoolInputs[]; preferred?: Ipv4 }
  /** Exactly that address. */
  | { do: 'Claim'; pool: PoolInputs; address: Ipv4; hostname?: string }
  /**
   * As Claim, after the VM's own lease with another MAC address is deleted. No other client can hold the address, so
   * only the agents must have stopped serving it; the lease time need not expire.
   */
  | { do: 'HandOver'; from: IPLease; pool: PoolInputs; address: Ipv4; hostname?: string }
  /** No action is possible. With an address: wait for it. */
  | { do: 'Wait'; result: Problem; address?: Ipv4 };

/** A paused or deleted config gets no leases; any other gets exactly those that its interfaces request. */
export function planOf(inputs: Inputs): Plan {
  const { config, leases } = inputs;
  if (config.metadata.deletionTimestamp !== undefined) return { release: atEnd(inputs), interfaces: [] };
  if (config.spec.paused === true) {
    const active = leases.filter(({ lease }) => isActive(lease));
    return { release: active.map(({ lease }) => ({ lease, why: 'Paused' })), interfaces: [] };
  }
  const interfaces = interfacePlans(inputs);
  const used = new Set(interfaces.map(leaseOf));
  const unused = leases.filter(({ lease }) => isActive(lease) && !used.has(lease));
  const displaced = inputs.interfaces.flatMap((each) =>
    each.displaced.map((lease) => ({ lease, why: 'Displaced' as const })),
  );
  return { release: [...displaced, ...unused.flatMap((each) => releaseOf(each, inputs))], interfaces };
}

/** Without its VM, a lease with `retain` is kept, as at the end of a config. */
function releaseOf({ lease, mac, network }: LeaseInputs, inputs: Inputs): Release[] {
  const { config, interfaces, hasVirtualMachine } = inputs;
  const why = reasonOf(lease, inputs);
  const index = interfaces.findIndex((each) => each.mac === mac && each.label === network);
  const isKept = !hasVirtualMachine && why === 'Unbacked' && config.spec.networkConfigs?.[index]?.retain === true;
  if (!isKept) return [{ lease, why }];
  return isRetained(lease) ? [] : [{ lease, why, retain: true }];
}

/** At the end of the VM, leases of interfaces with `retain` are kept and the others are released. */
function atEnd({ config, leases, interfaces }: Inputs): Release[] {
  const { networkConfigs = [] } = config.spec;
  return leases.flatMap(({ lease, mac, network }): Release[] => {
    if (!isActive(lease) || isRetained(lease)) return [];
    const index = interfaces.findIndex((each) => each.mac === mac && each.label === network);
    const isKept = networkConfigs[index]?.retain === true && !isDeclined(lease);
    return [isKept ? { lease, why: 'Deleted', retain: true } : { lease, why: 'Deleted' }];
  });
}

function leaseOf(plan: InterfacePlan): IPLease | undefined {
  if (plan.do === 'Keep' || plan.do === 'Revive') return plan.lease;
  return plan.do === 'HandOver' ? plan.from : undefined;
}

function reasonOf(lease: IPLease, { interfaces, leases }: Inputs): Release['why'] {
  if (isDeclined(lease)) return 'Conflict';
  const inputs = leases.find((each) => each.lease === lease);
  const asks = interfaces.find(({ mac, label }) => mac === inputs?.mac && label === inputs.network);
  if (asks === undefined) return 'Unwanted';
  if (asks.claim === CLAIM.none) return 'Unbacked';
  return asks.rival === undefined ? 'Moved' : 'Refused';
}

/** The plan for each interface, in the order of the spec. Each lease is used at most once. */
function interfacePlans(inputs: Inputs): InterfacePlan[] {
  const settled = inputs.interfaces.map((each) => settledLease(each, inputs));
  // Leases that are already correct are not available to other interfaces.
  const used = new Set(settled.filter((lease) => lease !== undefined));
  return inputs.interfaces.map((each, index) => {
    const lease = settled[index];
    const plan: InterfacePlan = lease === undefined ? unsettled(each, inputs, used) : kept(lease, each);
    if (plan.do === 'Keep' || plan.do === 'Revive') used.add(plan.lease);
    if (plan.do === 'HandOver') used.add(plan.from);
    return plan;
  });
}

/** The lease that already matches the interface; the oldest of several. */
function settledLease(each: InterfaceInputs, inputs: Inputs): IPLease | undefined {
  const { fixed, held } = each;
  if (isRefused(each)) return undefined;
  return [...(held === undefined ? [] : [held]), ...leasesOf(each, inputs).toSorted(byAge)].find(
    (lease) =>
      isActive(lease) &&
      (fixed === undefined ? !isGivenUp(lease, inputs) : lease.spec.ipAddress === formatIpv4(fixed.address)),
  );
}

function isGivenUp(lease: IPLease, { leases }: Inputs): boolean {
  return isDeclined(lease) && leases.find((each) => each.lease === lease)?.isKeptInConflict !== true;
}

function kept(lease: IPLease, { fixed }: InterfaceInputs): InterfacePlan {
  if (isRetained(lease)) return { do: 'Revive', lease };
  return isDeclined(lease) ? { do: 'Keep', lease, result: conflict(lease, fixed) } : { do: 'Keep', lease };
}

function unsettled(each: InterfaceInputs, inputs: Inputs, used: ReadonlySet<IPLease>): InterfacePlan {
  if (each.isRepeated || (each.rival !== undefined && each.claim !== CLAIM.none))
    return { do: 'Wait', result: duplicate(each) };
  if (each.claim === CLAIM.none) return { do: 'Wait', result: unbacked(each, inputs) };
  return each.fixed === undefined ? anyAddress(each, inputs, used) : thatAddress(each, each.fixed, inputs, used);
}

function isRefused({ isRepeated, rival, claim }: InterfaceInputs): boolean {
  return isRepeated || rival !== undefined || claim === CLAIM.none;
}

function thatAddress(
  each: InterfaceInputs,
  fixed: FixedAddress,
  inputs: Inputs,
  used: ReadonlySet<IPLease>,
): InterfacePlan {
  const { pool, address, occupant, hostname } = fixed;
  const problem = addressProblem(each, fixed);
  if (problem !== undefined || pool === undefined)
    return asBefore(each, inputs, used, problem ?? poolProblem(each), undefined);
  const named = hostname === undefined ? {} : { hostname };
  if (occupant === undefined) return { do: 'Claim', pool, address, ...named };
  const isOwn = leasesOf(each, inputs).includes(occupant);
  if (isOwn && isReleased(occupant) && !used.has(occupant)) return { do: 'Revive', lease: occupant };
  if (mayPassOn(occupant, inputs) && !used.has(occupant))
    return { do: 'HandOver', from: occupant, pool, address, ...named };
  return asBefore(each, inputs, used, addressInUse(fixed, occupant), address);
}

/** An interface that cannot get the requested address keeps its current lease: its VM may be running. */
function asBefore(
  each: InterfaceInputs,
  inputs: Inputs,
  used: ReadonlySet<IPLease>,
  result: Problem,
  address: number | undefined,
): InterfacePlan {
  const lease = leasesOf(each, inputs)
    .toSorted(byAge)
    .find((one) => isActive(one) && !isDeclined(one) && !used.has(one));
  const awaited = address === undefined ? {} : { address };
  return lease === undefined ? { do: 'Wait', result, ...awaited } : { do: 'Keep', lease, result, ...awaited };
}

function anyAddress(each: InterfaceInputs, inputs: Inputs, used: ReadonlySet<IPLease>): InterfacePlan {
  const giving = each.pools.filter(({ standing }) => standing === 'Gives');
  const former = leasesOf(each, inputs)
    .toSorted(byAge)
    .find((lease) => isReleased(lease) && !isRetained(lease) && mayHaveAgain(lease, each) && !used.has(lease));
  if (former !== undefined) return { do: 'Revive', lease: former };
  const inherited = inheritance(each, inputs, used);
  if (inherited !== undefined) return inherited;
  if (giving.length === 0) return { do: 'Wait', result: poolProblem(each) };
  return { do: 'Allocate', pools: giving, ...(each.previous === undefined ? {} : { preferred: each.previous }) };
}

/** The VM's lease for a MAC address that it no longer has on this network: the VM keeps the address. */
function inheritance(each: InterfaceInputs, inputs: Inputs, used: ReadonlySet<IPLease>): InterfacePlan | undefined {
  for (const { lease, address, network, mac } of inputs.retained) {
    if (network !== each.label || used.has(lease) || isDeclined(lease)) continue;
    const isOthers = inputs.interfaces.some((other) => other !== each && other.mac === mac && other.label === network);
    const pool = poolOfLease(lease, each);
    if (isOthers || pool?.standing !== 'Gives') continue;
    return { do: 'HandOver', from: lease, pool, address };
  }
  return undefined;
}

/** Whether a released address may be taken back: not if it has been excluded or reserved since. */
function mayHaveAgain(lease: IPLease, each: InterfaceInputs): boolean {
  const pool = poolOfLease(lease, each);
  const address = parseIpv4(lease.spec.ipAddress);
  return (
    address !== undefined &&
    pool?.standing === 'Gives' &&
    pool.addresses?.isLeasable(address) === true &&
    !isDeclined(lease) &&
    lease.metadata.deletionTimestamp === undefined
  );
}

function poolOfLease(lease: IPLease, { pools }: InterfaceInputs): PoolInputs | undefined {
  const { namespace, name } = lease.metadata;
  return pools.find(
    ({ pool: { metadata } }) =>
      metadata.namespace === namespace && leaseName(metadata.name, lease.spec.ipAddress) === name,
  );
}

/** The config's leases on the interface's network with its MAC address. */
function leasesOf({ label, mac }: InterfaceInputs, { leases }: Inputs): IPLease[] {
  return leases.filter((each: LeaseInputs) => each.network === label && each.mac === mac).map(({ lease }) => lease);
}

/** Whether a lease is the VM's and no other config of the VM uses it. */
function mayPassOn(lease: IPLease, { virtualMachine, leases }: Inputs): boolean {
  const { vmRef } = lease.spec;
  if (vmRef === undefined || `${vmRef.namespace ?? ''}/${vmRef.name}` !== virtualMachine) return false;
  return isReleased(lease) || isRetained(lease) || leases.some((each) => each.lease === lease);
}
