export { agentRollout } from './agent-rollout.ts';
export { ipLease } from './ip-lease.ts';
export { ipPool } from './ip-pool.ts';
export { virtualMachineBMC, virtualMachineBMCSpec } from './virtual-machine-bmc.ts';
export { virtualMachineNetworkConfig } from './virtual-machine-network-config.ts';
