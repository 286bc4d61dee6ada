export { KubeVirtMachine, type ActionReport } from './kubevirt-machine.ts';
export type { MachinePair } from './machine-objects.ts';
