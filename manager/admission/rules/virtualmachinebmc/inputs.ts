import type { VirtualMachineBMC } from '../../../../api/index.ts';
import type { Rule } from '../verdict.ts';

/** Inputs of the VirtualMachineBMC rules besides the BMC itself. */
export interface BmcInputs {
  /** Other BMCs that name the same virtual machine. */
  rivals: readonly VirtualMachineBMC[];
}

export type BmcRule = Rule<VirtualMachineBMC, BmcInputs>;
