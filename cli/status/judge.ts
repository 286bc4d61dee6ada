import type { Gathered } from './gather.ts';
import { judgeBmcs, type BmcStatus } from './judge-bmcs.ts';
import { judgeConfigs, judgeLeases, type ConfigStatus, type LeaseStatus } from './judge-leases.ts';
import { judgePools, type PoolStatus } from './judge-pools.ts';

/** All that the status screen says, which is also what `-o json` prints. */
export interface Overview {
  bmcs: BmcStatus[];
  pools: PoolStatus[];
  leases: LeaseStatus[];
  /** Those alone that need attention. */
  networkConfigs: ConfigStatus[];
}

/** Turns what was gathered into rows, and says what ails what. */
export function judge(gathered: Gathered): Overview {
  return {
    bmcs: judgeBmcs(gathered),
    pools: judgePools(gathered),
    leases: judgeLeases(gathered),
    networkConfigs: judgeConfigs(gathered),
  };
}
