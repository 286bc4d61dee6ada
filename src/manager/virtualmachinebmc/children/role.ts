import { credentialsSecretName, type VirtualMachineBMC } from '../../../api/index.ts';
import type { Draft, Role } from '../../../kube/index.ts';
import { childMetadata } from './child-metadata.ts';

/**
 * What the agent may do: everything by name, so that it can touch no virtual machine, BMC or Secret but its own.
 * Under `resourceNames` a list or watch is allowed with `fieldSelector=metadata.name=…` alone.
 * The one unnamed rule is events, whose names are made by the writer.
 */
export function role(bmc: VirtualMachineBMC): Draft<Role> {
  const vm = [bmc.spec.virtualMachineRef.name];
  const self = [bmc.metadata.name];
  const secret = [bmc.spec.authSecretRef?.name ?? credentialsSecretName(bmc.metadata.name)];
  const read = ['get', 'list', 'watch'];
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: childMetadata(bmc),
    rules: [
      { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], resourceNames: vm, verbs: [...read, 'patch'] },
      { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], resourceNames: vm, verbs: read },
      {
        apiGroups: ['subresources.kubevirt.io'],
        resources: ['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'],
        resourceNames: vm,
        verbs: ['update'],
      },
      {
        apiGroups: ['subresources.kubevirt.io'],
        resources: [
          'virtualmachineinstances/reset',
          'virtualmachineinstances/softreboot',
          'virtualmachineinstances/pause',
          'virtualmachineinstances/unpause',
        ],
        resourceNames: vm,
        verbs: ['update'],
      },
      { apiGroups: ['bmc.kubevirt.io'], resources: ['virtualmachinebmcs'], resourceNames: self, verbs: read },
      {
        apiGroups: ['bmc.kubevirt.io'],
        resources: ['virtualmachinebmcs/status'],
        resourceNames: self,
        verbs: ['get', 'patch'],
      },
      { apiGroups: [''], resources: ['secrets'], resourceNames: secret, verbs: read },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ],
  };
}
