export { KubeVirtMachine, type ActionReport } from './kubevirt-machine.ts';
export { Lane } from './lane.ts';
export type { MachinePair } from './machine-objects.ts';
