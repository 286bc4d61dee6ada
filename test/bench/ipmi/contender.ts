import type { SandboxBmc } from '../../harness/sandbox/index.ts';

/** Peers of one protocol have no other. */
export type BenchBmc = Omit<SandboxBmc, 'redfish'> & { readonly redfish?: string };

/** A running BMC that takes part in the comparison. */
export interface Contender {
  name: 'groundcrew' | 'fakebmc' | 'ipmi_sim';
  bmc: BenchBmc;
  /** Process that serves it. */
  readonly pid: number;
  /** Ends it and starts it again. @returns ms from its start to its first answer */
  restart(): Promise<number>;
  close(): Promise<void>;
}
