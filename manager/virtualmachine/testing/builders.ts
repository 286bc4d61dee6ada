import type {
  Interface,
  Network,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import type { Entry } from '../plan/entries.ts';
import type { Inputs } from '../plan/inputs.ts';

/** A VM `web` that is off, with interfaces on `default/lan` and others as given: `nic` or `nic@network`, and a MAC. */
export function aVirtualMachine(
  nics: Record<string, string | undefined>,
  change: Partial<Inputs['vm']['metadata']> = {},
) {
  const interfaces = Object.entries(nics).map(([key, macAddress]): Interface => {
    const [name = ''] = key.split('@');
    return { name, bridge: {}, ...(macAddress === undefined ? {} : { macAddress }) };
  });
  const networks = Object.keys(nics).map((key): Network => {
    const [name = '', network = 'lan'] = key.split('@');
    return network === 'pod' ? { name, pod: {} } : { name, multus: { networkName: network } };
  });
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default', uid: 'vm-1', resourceVersion: '7', ...change },
    spec: { runStrategy: 'Manual', template: { spec: { domain: { devices: { interfaces } }, networks } } },
  } satisfies VirtualMachine;
}

/** The instance of a VM that runs, with the MAC addresses that are reported of it. */
export function anInstance(vm: VirtualMachine, reported: Record<string, string> = {}): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'default', uid: 'vmi-1' },
    spec: structuredClone(vm.spec.template.spec),
    status: { phase: 'Running', interfaces: Object.entries(reported).map(([name, mac]) => ({ name, mac })) },
  };
}

/** A config that a person wrote for `web`; `metadata` may make it another's. */
export function aConfig(
  networkConfigs: Entry[],
  metadata: Partial<VirtualMachineNetworkConfig['metadata']> = {},
): VirtualMachineNetworkConfig {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'VirtualMachineNetworkConfig',
    metadata: { name: 'web', namespace: 'default', uid: 'config-1', resourceVersion: '9', ...metadata },
    spec: { vmName: 'web', networkConfigs },
  };
}

/** What the manager's own config of the VM with that uid has for metadata. */
export function madeFor(uid: string): Partial<VirtualMachineNetworkConfig['metadata']> {
  return {
    labels: { 'app.kubernetes.io/managed-by': 'groundcrew', 'harvesterhci.io/vmName': 'web' },
    ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid, controller: true }],
    finalizers: ['network.harvesterhci.io/leases'],
  };
}

/** Pools on `default/lan`, `default/san` and `other/wan`; MAC addresses are given. */
export function inputs(vm: VirtualMachine, change: Partial<Inputs> = {}): Inputs {
  const managedNetworks = new Set(['default/lan', 'default/san', 'other/wan']);
  return { vm, instance: undefined, configs: [], managedNetworks, clusterUid: 'cluster-1', ...change };
}
