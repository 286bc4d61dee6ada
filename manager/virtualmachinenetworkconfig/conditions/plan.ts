import type { IPLease, Ipv4 } from '../../../api/index.ts';
import type { Inputs, PoolInputs } from '../inputs.ts';
import type { Problem } from './condition-result.ts';
import { interfacePlans } from './interface-plan.ts';
import { isActive, isDeclined, isRetained } from './lease-state.ts';

/** The writes needed for the leases. */
export interface Plan {
  /** Executed first. */
  release: readonly Release[];
  /** In the order of the spec; empty if the config gets no leases. */
  interfaces: readonly InterfacePlan[];
}

export interface Release {
  lease: IPLease;
  why: 'Unwanted' | 'Moved' | 'Refused' | 'Conflict' | 'Paused' | 'Deleted';
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
  return { release: unused.map(({ lease }) => ({ lease, why: reasonOf(lease, inputs) })), interfaces };
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
  return asks.rival === undefined ? 'Moved' : 'Refused';
}
