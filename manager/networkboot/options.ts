import type { VirtualMachineBMC } from '../../api/index.ts';
import type { Cache } from '@groundcrew/controller-runtime';
import type { NetworkControllerOptions } from '../networks/index.ts';

export interface NetworkBootOptions extends NetworkControllerOptions {
  /** With an index by `namespace/name` of the virtual machine. */
  bmcs: { cache: Cache<VirtualMachineBMC>; byVirtualMachine: string };
}
