import { agentName, type VirtualMachineBMC } from '../../../api/index.ts';
import type { Draft, RoleBinding } from '@groundcrew/controller-runtime';
import { childMetadata } from './child-metadata.ts';

/** Binds the agent's Role to its ServiceAccount. */
export function roleBinding(bmc: VirtualMachineBMC): Draft<RoleBinding> {
  const name = agentName(bmc.spec.virtualMachineRef.name);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: childMetadata(bmc),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: bmc.metadata.namespace ?? '' }],
  };
}
