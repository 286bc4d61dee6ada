import type { VirtualMachineBMC, VirtualMachineBMCSpec } from '../../../api/index.ts';

export interface BmcFields extends Partial<VirtualMachineBMCSpec> {
  name?: string;
  uid?: string;
  created?: string;
  generation?: number;
  vm?: string;
  status?: VirtualMachineBMC['status'];
}

/** A VirtualMachineBMC `vms/web-bmc` of the VM `web`; the fields override it. */
export function aBmc(fields: BmcFields = {}): VirtualMachineBMC {
  const {
    name = 'web-bmc',
    vm = 'web',
    created = '2026-01-01T00:00:00Z',
    generation = 1,
    status,
    uid,
    ...spec
  } = fields;
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: {
      name,
      namespace: 'vms',
      uid: uid ?? `uid-of-${name}`,
      generation,
      creationTimestamp: created,
      resourceVersion: '1',
    },
    spec: { virtualMachineRef: { name: vm }, authSecretRef: { name: 'creds' }, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}
