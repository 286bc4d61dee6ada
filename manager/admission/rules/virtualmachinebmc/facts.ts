import type { VirtualMachineBMC } from '../../../../api/index.ts';
import type { Rule } from '../verdict.ts';

/** What a VirtualMachineBMC is judged by, beside itself. */
export interface BmcFacts {
  /** Other BMCs that name the same virtual machine. */
  rivals: readonly VirtualMachineBMC[];
}

export type BmcRule = Rule<VirtualMachineBMC, BmcFacts>;
