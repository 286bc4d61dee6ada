export { ClusterIdentity } from './cluster-identity.ts';
export { virtualMachineController } from './controller.ts';
export { harvesterMacs } from './judge/mac-of.ts';
export { managedInterfaces, multusNetworks } from './judge/managed-interfaces.ts';
export { macFor, type MacOwner } from './mac-for.ts';
export type { VirtualMachineReconcilerOptions } from './reconciler.ts';
