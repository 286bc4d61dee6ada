import { formatIpv4, leaseName, parseIpv4, type IPLease } from '../../../api/index.ts';
import type { Inputs, FixedAddress, InterfaceInputs, LeaseInputs, PoolInputs } from '../inputs.ts';
import { addressInUse, addressProblem, conflict } from './address-problem.ts';
import { duplicate } from './duplicate.ts';
import type { Problem } from './condition-result.ts';
import { byAge, isActive, isDeclined, isReleased, isRetained } from './lease-state.ts';
import type { InterfacePlan } from './plan.ts';
import { poolProblem } from './pool-problem.ts';

/** The plan for each interface, in the order of the spec. Each lease is used at most once. */
export function interfacePlans(inputs: Inputs): InterfacePlan[] {
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
      (fixed === undefined ? !isDeclined(lease) : lease.spec.ipAddress === formatIpv4(fixed.address)),
  );
}

function kept(lease: IPLease, { fixed }: InterfaceInputs): InterfacePlan {
  if (isRetained(lease)) return { do: 'Revive', lease };
  return isDeclined(lease) && fixed !== undefined
    ? { do: 'Keep', lease, result: conflict(lease, fixed) }
    : { do: 'Keep', lease };
}

function unsettled(each: InterfaceInputs, inputs: Inputs, used: ReadonlySet<IPLease>): InterfacePlan {
  if (isRefused(each)) return { do: 'Wait', result: duplicate(each) };
  return each.fixed === undefined ? anyAddress(each, inputs, used) : thatAddress(each, each.fixed, inputs, used);
}

function isRefused({ isRepeated, rival }: InterfaceInputs): boolean {
  return isRepeated || rival !== undefined;
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
