export { ClusterIdentity } from './cluster-identity.ts';
export { interfacesChanged, virtualMachineController } from './controller.ts';
export { harvesterMacs, macsOn, managedInterfaces, multusNetworks } from './interfaces.ts';
export { macFor, type MacOwner } from './mac-assignment.ts';
export type { VirtualMachineReconcilerOptions } from './reconciler.ts';
