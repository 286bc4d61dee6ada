import type { Inputs } from './load-inputs.ts';
import { evaluateBmcs, type BmcStatus } from './evaluate-bmcs.ts';
import { evaluateConfigs, evaluateLeases, type ConfigStatus, type LeaseStatus } from './evaluate-leases.ts';
import { evaluatePools, type PoolStatus } from './evaluate-pools.ts';

/** The content of the status screen, also printed by `-o json`. */
export interface Overview {
  bmcs: BmcStatus[];
  pools: PoolStatus[];
  leases: LeaseStatus[];
  /** Only the configs with problems. */
  networkConfigs: ConfigStatus[];
}

/** Converts the cluster objects to rows and problems. */
export function evaluate(inputs: Inputs): Overview {
  return {
    bmcs: evaluateBmcs(inputs),
    pools: evaluatePools(inputs),
    leases: evaluateLeases(inputs),
    networkConfigs: evaluateConfigs(inputs),
  };
}
