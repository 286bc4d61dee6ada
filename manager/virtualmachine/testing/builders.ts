import type {
  Interface,
  Network,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import type { Entry } from '../plan.ts';
import type { Inputs } from '../interfaces.ts';

/** A stopped VM `web` with interfaces on `default/lan` or as given (`nic` or `nic@network`), and their MAC addresses. */
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

/** The running instance of a VM, with the reported MAC addresses. */
export function anInstance(vm: VirtualMachine, reported: Record<string, string> = {}): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'default', uid: 'vmi-1' },
    spec: structuredClone(vm.spec.template.spec),
    status: { phase: 'Running', interfaces: Object.entries(reported).map(([name, mac]) => ({ name, mac })) },
  };
}

/** A config that a user wrote for `web`; `metadata` overrides its owner and name. */
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

/** Metadata of the manager's own config for the VM with that uid. */
export function madeFor(uid: string): Partial<VirtualMachineNetworkConfig['metadata']> {
  return {
    labels: { 'app.kubernetes.io/managed-by': 'groundcrew', 'harvesterhci.io/vmName': 'web' },
    ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid, controller: true }],
    finalizers: ['network.harvesterhci.io/leases'],
  };
}

/** Inputs with pools on `default/lan`, `default/san` and `other/wan`; MAC addresses are assigned. */
export function inputs(vm: VirtualMachine, change: Partial<Inputs> = {}): Inputs {
  const managedNetworks = new Set(['default/lan', 'default/san', 'other/wan']);
  return { vm, instance: undefined, configs: [], managedNetworks, clusterUid: 'cluster-1', ...change };
}
