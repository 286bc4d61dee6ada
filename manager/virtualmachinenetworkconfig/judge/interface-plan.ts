import { formatIpv4, leaseName, parseIpv4, type IPLease } from '../../../api/index.ts';
import type { Facts, FixedAddress, InterfaceFacts, LeaseFacts, PoolFacts } from '../facts.ts';
import { addressInUse, addressProblem, conflict } from './address-problem.ts';
import { duplicate } from './duplicate.ts';
import type { Finding } from './finding.ts';
import { byAge, isActive, isDeclined, isReleased, isRetained } from './lease-state.ts';
import type { InterfacePlan } from './plan.ts';
import { poolProblem } from './pool-problem.ts';

/** What each interface gets, in the order of the spec. No lease is for two of them. */
export function interfacePlans(facts: Facts): InterfacePlan[] {
  const settled = facts.interfaces.map((each) => settledLease(each, facts));
  // What one interface has as it should is in nobody's way.
  const used = new Set(settled.filter((lease) => lease !== undefined));
  return facts.interfaces.map((each, index) => {
    const lease = settled[index];
    const plan: InterfacePlan = lease === undefined ? unsettled(each, facts, used) : kept(lease, each);
    if (plan.do === 'Keep' || plan.do === 'Revive') used.add(plan.lease);
    if (plan.do === 'HandOver') used.add(plan.from);
    return plan;
  });
}

/** The lease that is already all that the interface asks for: of several, the oldest. */
function settledLease(each: InterfaceFacts, facts: Facts): IPLease | undefined {
  const { fixed, held } = each;
  if (isRefused(each)) return undefined;
  return [...(held === undefined ? [] : [held]), ...leasesOf(each, facts).toSorted(byAge)].find(
    (lease) =>
      isActive(lease) &&
      (fixed === undefined ? !isDeclined(lease) : lease.spec.ipAddress === formatIpv4(fixed.address)),
  );
}

function kept(lease: IPLease, { fixed }: InterfaceFacts): InterfacePlan {
  if (isRetained(lease)) return { do: 'Revive', lease };
  return isDeclined(lease) && fixed !== undefined
    ? { do: 'Keep', lease, finding: conflict(lease, fixed) }
    : { do: 'Keep', lease };
}

function unsettled(each: InterfaceFacts, facts: Facts, used: ReadonlySet<IPLease>): InterfacePlan {
  if (isRefused(each)) return { do: 'Wait', finding: duplicate(each) };
  return each.fixed === undefined ? anyAddress(each, facts, used) : thatAddress(each, each.fixed, facts, used);
}

function isRefused({ isRepeated, rival }: InterfaceFacts): boolean {
  return isRepeated || rival !== undefined;
}

function thatAddress(
  each: InterfaceFacts,
  fixed: FixedAddress,
  facts: Facts,
  used: ReadonlySet<IPLease>,
): InterfacePlan {
  const { pool, address, occupant, hostname } = fixed;
  const problem = addressProblem(each, fixed);
  if (problem !== undefined || pool === undefined)
    return asBefore(each, facts, used, problem ?? poolProblem(each), undefined);
  const named = hostname === undefined ? {} : { hostname };
  if (occupant === undefined) return { do: 'Claim', pool, address, ...named };
  const isOwn = leasesOf(each, facts).includes(occupant);
  if (isOwn && isReleased(occupant) && !used.has(occupant)) return { do: 'Revive', lease: occupant };
  if (mayPassOn(occupant, facts) && !used.has(occupant))
    return { do: 'HandOver', from: occupant, pool, address, ...named };
  return asBefore(each, facts, used, addressInUse(fixed, occupant), address);
}

/** An interface that cannot have what it asks for keeps what it has: its VM may be running. */
function asBefore(
  each: InterfaceFacts,
  facts: Facts,
  used: ReadonlySet<IPLease>,
  finding: Finding,
  address: number | undefined,
): InterfacePlan {
  const lease = leasesOf(each, facts)
    .toSorted(byAge)
    .find((one) => isActive(one) && !isDeclined(one) && !used.has(one));
  const awaited = address === undefined ? {} : { address };
  return lease === undefined ? { do: 'Wait', finding, ...awaited } : { do: 'Keep', lease, finding, ...awaited };
}

function anyAddress(each: InterfaceFacts, facts: Facts, used: ReadonlySet<IPLease>): InterfacePlan {
  const giving = each.pools.filter(({ standing }) => standing === 'Gives');
  const former = leasesOf(each, facts)
    .toSorted(byAge)
    .find((lease) => isReleased(lease) && !isRetained(lease) && mayHaveAgain(lease, each) && !used.has(lease));
  if (former !== undefined) return { do: 'Revive', lease: former };
  const inherited = inheritance(each, facts, used);
  if (inherited !== undefined) return inherited;
  if (giving.length === 0) return { do: 'Wait', finding: poolProblem(each) };
  return { do: 'Allocate', pools: giving, ...(each.previous === undefined ? {} : { preferred: each.previous }) };
}

/** What was kept for the VM under a MAC address that it no longer has on this network: the address is still its own. */
function inheritance(each: InterfaceFacts, facts: Facts, used: ReadonlySet<IPLease>): InterfacePlan | undefined {
  for (const { lease, address, network, mac } of facts.retained) {
    if (network !== each.label || used.has(lease) || isDeclined(lease)) continue;
    const isOthers = facts.interfaces.some((other) => other !== each && other.mac === mac && other.label === network);
    const pool = poolOfLease(lease, each);
    if (isOthers || pool?.standing !== 'Gives') continue;
    return { do: 'HandOver', from: lease, pool, address };
  }
  return undefined;
}

/** Whether an address that was let go may be taken back: what has been excluded or reserved since is not handed out again. */
function mayHaveAgain(lease: IPLease, each: InterfaceFacts): boolean {
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

function poolOfLease(lease: IPLease, { pools }: InterfaceFacts): PoolFacts | undefined {
  const { namespace, name } = lease.metadata;
  return pools.find(
    ({ pool: { metadata } }) =>
      metadata.namespace === namespace && leaseName(metadata.name, lease.spec.ipAddress) === name,
  );
}

/** Of the config, on the interface's network, under its MAC address. */
function leasesOf({ label, mac }: InterfaceFacts, { leases }: Facts): IPLease[] {
  return leases.filter((each: LeaseFacts) => each.network === label && each.mac === mac).map(({ lease }) => lease);
}

/** Whether a lease is the VM's, and no other config of it has any use for it. */
function mayPassOn(lease: IPLease, { virtualMachine, leases }: Facts): boolean {
  const { vmRef } = lease.spec;
  if (vmRef === undefined || `${vmRef.namespace ?? ''}/${vmRef.name}` !== virtualMachine) return false;
  return isReleased(lease) || isRetained(lease) || leases.some((each) => each.lease === lease);
}
