import type { SandboxBmc } from '../../harness/sandbox/index.ts';

/** A running BMC that takes part in the comparison. */
export interface Contender {
  name: 'groundcrew' | 'fakebmc' | 'ipmi_sim';
  bmc: SandboxBmc;
  /** Process that serves it. */
  readonly pid: number;
  /** Ends it and starts it again. @returns ms from its start to its first answer */
  restart(): Promise<number>;
  close(): Promise<void>;
}
