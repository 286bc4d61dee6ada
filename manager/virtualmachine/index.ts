export { ClusterIdentity } from './cluster-identity.ts';
export { virtualMachineController } from './controller.ts';
export { harvesterMacs } from './plan/mac-of.ts';
export { managedInterfaces, multusNetworks } from './plan/managed-interfaces.ts';
export { macFor, type MacOwner } from './mac-for.ts';
export type { VirtualMachineReconcilerOptions } from './reconciler.ts';
