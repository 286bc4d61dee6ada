import type { SandboxBmc } from '../../harness/sandbox/index.ts';

/** A running BMC that takes part in the comparison. */
export interface Contender {
  name: 'groundcrew' | 'fakebmc' | 'ipmi_sim';
  bmc: SandboxBmc;
  close(): Promise<void>;
}
