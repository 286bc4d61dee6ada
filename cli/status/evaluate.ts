import type { Inputs } from './load-inputs.ts';
import { evaluateBmcs, type BmcStatus } from './evaluate-bmcs.ts';
import { evaluateConfigs, evaluateLeases, type ConfigStatus, type LeaseStatus } from './evaluate-leases.ts';
import { evaluatePools, type PoolStatus } from './evaluate-pools.ts';

/** All that the status screen says, which is also what `-o json` prints. */
export interface Overview {
  bmcs: BmcStatus[];
  pools: PoolStatus[];
  leases: LeaseStatus[];
  /** Those alone that need attention. */
  networkConfigs: ConfigStatus[];
}

/** Turns what was inputs into rows, and says what ails what. */
export function evaluate(inputs: Inputs): Overview {
  return {
    bmcs: evaluateBmcs(inputs),
    pools: evaluatePools(inputs),
    leases: evaluateLeases(inputs),
    networkConfigs: evaluateConfigs(inputs),
  };
}
