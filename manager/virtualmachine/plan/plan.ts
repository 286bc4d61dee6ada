import {
  LABELS,
  labelValue,
  NETWORK_CONFIG_FINALIZER,
  networkKey,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import { apiVersionOf, type Draft } from '@groundcrew/controller-runtime';
import { assignmentOf, type Assignment } from './assignment.ts';
import { configName } from './config-name.ts';
import { entriesOf, type Entry } from './entries.ts';
import type { Inputs } from './inputs.ts';
import { isWritten } from './is-written.ts';
import { managedInterfaces, outlivedInterfaces } from './managed-interfaces.ts';
import { standingOf, VM_NAME_LABEL } from './standing.ts';
import { STATIC_ADDRESSES_ANNOTATION, staticAddresses } from './static-addresses.ts';

/** The actions for one virtual machine. */
export interface Plan {
  /** MAC addresses to write into the VM's template. */
  assign?: Assignment;
  /** The config to apply. */
  config?: Draft<VirtualMachineNetworkConfig>;
  /** Configs to delete: they have no entries left. */
  remove: readonly VirtualMachineNetworkConfig[];
  /** Configs of an earlier VM of the same name; deleted once that VM is known to be gone. */
  left: readonly VirtualMachineNetworkConfig[];
  /** Messages for users about invalid settings. */
  complaints: readonly string[];
}

/** Computes the desired changes from the current state. */
export function planOf(inputs: Inputs): Plan {
  const { vm, configs } = inputs;
  const standing = (wanted: string) => configs.filter((config) => standingOf(config, vm) === wanted);
  const left = standing('Left').filter(isAlive);
  const own = standing('Ours').filter(isAlive);
  const theirs = standing('Theirs').filter(({ spec }) => spec.vmName === vm.metadata.name);
  const written = new Set(theirs.flatMap(networksOf));
  const interfaces = [
    ...managedInterfaces(vm, inputs.managedNetworks),
    ...outlivedInterfaces(vm, inputs.instance, inputs.managedNetworks),
  ].filter(({ network }) => !written.has(network));
  const [existing, ...spare] = own.sort((a, b) => age(a).localeCompare(age(b)));
  const { addresses, complaints } = staticAddresses(vm);
  const assign = assignmentOf(interfaces, inputs);
  const entries = entriesOf(interfaces, inputs, existing, addresses);
  const plan = { ...(assign === undefined ? {} : { assign }), left, complaints, remove: spare };
  if (interfaces.length === 0) return { ...plan, remove: own };
  // A config that is being deleted, or of an earlier VM, still has the name; its deletion triggers another reconcile.
  const name = existing?.metadata.name ?? configName(vm, configs);
  if (name === undefined || (entries.length === 0 && existing === undefined)) return plan;
  const config = draftOf(name, inputs, entries, existing, addresses);
  return existing !== undefined && isWritten(existing, config) ? plan : { ...plan, config };
}

function draftOf(
  name: string,
  { vm, managedNetworks }: Inputs,
  entries: Entry[],
  existing: VirtualMachineNetworkConfig | undefined,
  asked: Readonly<Record<string, string>>,
): Draft<VirtualMachineNetworkConfig> {
  const { uid, resourceVersion } = existing?.metadata ?? {};
  const managed = new Set(managedInterfaces(vm, managedNetworks).map((each) => each.name));
  const addresses = Object.fromEntries(Object.entries(asked).filter(([nic]) => managed.has(nic)));
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'VirtualMachineNetworkConfig',
    metadata: {
      name,
      namespace: vm.metadata.namespace ?? '',
      // uid and resourceVersion: the server changes exactly the config that was read, or nothing.
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      labels: { [LABELS.managedBy]: 'groundcrew', [VM_NAME_LABEL]: labelValue(vm.metadata.name) },
      ...(Object.keys(addresses).length === 0
        ? {}
        : { annotations: { [STATIC_ADDRESSES_ANNOTATION]: JSON.stringify(addresses) } }),
      ownerReferences: [ownerReference(vm)],
      // Set at creation, so that the config cannot be deleted without releasing its leases.
      finalizers: [NETWORK_CONFIG_FINALIZER],
    },
    spec: { vmName: vm.metadata.name, networkConfigs: entries },
  };
}

function ownerReference({ metadata }: VirtualMachine) {
  return {
    apiVersion: apiVersionOf(VIRTUAL_MACHINES),
    kind: VIRTUAL_MACHINES.kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
  };
}

function networksOf({ metadata, spec }: VirtualMachineNetworkConfig): string[] {
  return (spec.networkConfigs ?? []).map(({ networkName }) => networkKey(networkName, metadata.namespace ?? ''));
}

function isAlive({ metadata }: VirtualMachineNetworkConfig): boolean {
  return metadata.deletionTimestamp === undefined;
}

function age({ metadata }: VirtualMachineNetworkConfig): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
}
