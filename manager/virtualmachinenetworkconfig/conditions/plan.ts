import type { IPLease, Ipv4 } from '../../../api/index.ts';
import type { Inputs, PoolInputs } from '../inputs.ts';
import type { ConditionResult } from './condition-result.ts';
import { interfacePlans } from './interface-plan.ts';
import { isActive, isDeclined, isRetained } from './lease-state.ts';

/** What has to be done for the leases to be as they should. */
export interface Plan {
  /** First. */
  release: readonly Release[];
  /** In the order of the spec; empty where the config has none. */
  interfaces: readonly InterfacePlan[];
}

export interface Release {
  lease: IPLease;
  why: 'Unwanted' | 'Moved' | 'Refused' | 'Conflict' | 'Paused' | 'Deleted';
  /** It goes on being served, and waits for a VM of the same name. */
  retain?: true;
}

export type InterfacePlan =
  /** The lease is as it should be, or as well as can be. With an address: until that can be had. */
  | { do: 'Keep'; lease: IPLease; result?: ConditionResult; address?: Ipv4 }
  /** It was let go, or kept for later, and is wanted. */
  | { do: 'Revive'; lease: IPLease }
  /** Any address of the first of these that has one. */
  | { do: 'Allocate'; pools: readonly PoolInputs[]; preferred?: Ipv4 }
  /** That address. */
  | { do: 'Claim'; pool: PoolInputs; address: Ipv4; hostname?: string }
  /**
   * The same, when its lease is gone: the VM had it itself, under another MAC address, so no client is left that could hold
   * it. It need not run out, but agents must have stopped serving it.
   */
  | { do: 'HandOver'; from: IPLease; pool: PoolInputs; address: Ipv4; hostname?: string }
  /** Nothing can be done. With an address: for that. */
  | { do: 'Wait'; result: ConditionResult; address?: Ipv4 };

/** A config that is paused or on its way out has no leases; any other those that its interfaces ask for, and no more. */
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

/** `retain` is about the end of the VM: what an interface asked for it is kept, the rest goes. */
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
