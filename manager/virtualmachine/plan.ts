import {
  ANNOTATIONS,
  formatIpv4,
  LABELS,
  labelValue,
  NETWORK_CONFIG_FINALIZER,
  networkKey,
  parseIpv4,
  VIRTUAL_MACHINES,
  canonicalMac,
  type VirtualMachine,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigSpec,
} from '../../api/index.ts';
import { apiVersionOf, type Draft } from '@groundcrew/controller-runtime';
import { assignmentOf, type Assignment } from './mac-assignment.ts';
import { managedInterfaces, outlivedInterfaces, macOf, type Inputs, type ManagedInterface } from './interfaces.ts';
import { isDeepStrictEqual } from 'node:util';
import { createHash } from 'node:crypto';

/** On a config: the addresses that came from annotations of the VM, by interface, as JSON. */
const STATIC_ADDRESSES_ANNOTATION = 'network.harvesterhci.io/static-addresses';

/** The actions for one virtual machine. */
interface Plan {
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

/** One interface in a config. */
export type Entry = NonNullable<VirtualMachineNetworkConfigSpec['networkConfigs']>[number];

/**
 * The desired entries of the config, in the order of the interfaces. Fields that a user added to the existing config
 * (`ipAddress`, `bootFiles`, `retain`) are kept, except where an annotation sets them or used to. An interface with unknown MAC
 * address keeps its previous one, and thus its lease; without a previous one it is left out.
 */
function entriesOf(
  interfaces: readonly ManagedInterface[],
  { vm, instance }: Inputs,
  existing: VirtualMachineNetworkConfig | undefined,
  asked: Readonly<Record<string, string>>,
): Entry[] {
  const left = new Set(existing === undefined ? [] : entriesIn(existing));
  const remembered = rememberedAddresses(existing?.metadata.annotations);
  const known = interfaces.map((each) => ({ ...each, mac: macOf(each.name, vm, instance) }));
  const take = (match: (entry: Entry) => boolean): Entry | undefined => {
    const found = [...left].find(match);
    if (found !== undefined) left.delete(found);
    return found;
  };
  // Interfaces with a known MAC address first; the remaining entries may belong to those whose MAC address has changed.
  const sure = known.map(({ network, mac }) =>
    take((entry) => entry.networkName === network && entry.macAddress === mac),
  );
  return known.flatMap(({ name, network, mac, index: place }, index) => {
    const before = sure[index] ?? take((entry) => entry.networkName === network);
    const macAddress = mac ?? before?.macAddress;
    if (macAddress === undefined) return [];
    // Current requests apply to the interface in the template.
    const isOutlived = place === undefined;
    const kept = before?.ipAddress === remembered[name] && !isOutlived ? undefined : before?.ipAddress;
    const ipAddress = isOutlived ? kept : (asked[name] ?? kept);
    return [
      {
        networkName: network,
        macAddress,
        ...(ipAddress === undefined ? {} : { ipAddress }),
        ...(before?.bootFiles === undefined ? {} : { bootFiles: before.bootFiles }),
        ...(before?.retain === undefined ? {} : { retain: before.retain }),
      },
    ];
  });
}

function entriesIn({ metadata, spec }: VirtualMachineNetworkConfig): Entry[] {
  return (spec.networkConfigs ?? []).map((entry) => ({
    ...entry,
    networkName: networkKey(entry.networkName, metadata.namespace ?? ''),
    macAddress: canonicalMac(entry.macAddress) ?? entry.macAddress,
  }));
}

/** Label of a VM's configs in vm-dhcp-controller. */
const VM_NAME_LABEL = 'harvesterhci.io/vmName';

/**
 * Ownership of a config that concerns a virtual machine. `Ours`: created by the manager for it, or by
 * vm-dhcp-controller, which is replaced. `Left`: created for an earlier VM of the same name. `Theirs`: created by a
 * user; never changed.
 */
type Standing = 'Ours' | 'Left' | 'Theirs';

function standingOf({ metadata }: VirtualMachineNetworkConfig, vm: VirtualMachine): Standing {
  const { labels = {}, ownerReferences = [] } = metadata;
  const isMade = labels[LABELS.managedBy] === 'groundcrew' || labels[VM_NAME_LABEL] !== undefined;
  if (!isMade) return 'Theirs';
  const owners = ownerReferences.filter(({ kind }) => kind === 'VirtualMachine');
  if (owners.some(({ uid }) => uid === vm.metadata.uid)) return 'Ours';
  if (owners.length > 0) return 'Left';
  // No owner: the VM was deleted with `--cascade=orphan`.
  return labels[LABELS.managedBy] === 'groundcrew' && ownerReferences.length === 0 ? 'Ours' : 'Theirs';
}

/** Whether the config already has the state of the draft. */
function isWritten(
  { metadata, spec }: VirtualMachineNetworkConfig,
  draft: Draft<VirtualMachineNetworkConfig>,
): boolean {
  const { labels, annotations, finalizers, ownerReferences } = draft.metadata;
  return (
    isDeepStrictEqual(spec.networkConfigs ?? [], draft.spec.networkConfigs) &&
    Object.entries(labels ?? {}).every(([name, value]) => metadata.labels?.[name] === value) &&
    metadata.annotations?.[STATIC_ADDRESSES_ANNOTATION] === annotations?.[STATIC_ADDRESSES_ANNOTATION] &&
    (finalizers ?? []).every((name) => metadata.finalizers?.includes(name) === true) &&
    (ownerReferences ?? []).every((owner) =>
      metadata.ownerReferences?.some(({ uid, controller }) => uid === owner.uid && controller === owner.controller),
    )
  );
}

/** Maximum length of an object name. */
const NAME_LENGTH = 253;

/**
 * The name of the config for a VM: the VM's name, or `<vm>-<hash8>` if a user's config has that name. Undefined while
 * an obsolete config of the manager has the name.
 */
function configName(vm: VirtualMachine, configs: readonly VirtualMachineNetworkConfig[]): string | undefined {
  const { name, uid = '' } = vm.metadata;
  const holder = configs.find(({ metadata }) => metadata.name === name);
  if (holder === undefined) return name;
  if (standingOf(holder, vm) !== 'Theirs') return undefined;
  const hash = createHash('sha256').update(uid).digest('hex').slice(0, 8);
  return `${name.slice(0, NAME_LENGTH - 9).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

/** The static addresses that annotations of the VM request, by interface. */
interface StaticAddresses {
  addresses: Record<string, string>;
  /** Messages about invalid annotations. */
  complaints: string[];
}

/** Reads the annotations `static-ip.harvesterhci.io/<interface>` of a VM. */
function staticAddresses({ metadata, spec }: VirtualMachine): StaticAddresses {
  const addresses: Record<string, string> = {};
  const complaints: string[] = [];
  const interfaces = spec.template.spec.domain.devices.interfaces ?? [];
  for (const [annotation, value] of Object.entries(metadata.annotations ?? {})) {
    if (!annotation.startsWith(ANNOTATIONS.staticIpPrefix)) continue;
    const name = annotation.slice(ANNOTATIONS.staticIpPrefix.length);
    const address = parseIpv4(value.trim());
    if (address === undefined)
      complaints.push(`Annotation ${annotation}: ${JSON.stringify(value)} is not an IPv4 address.`);
    else if (!interfaces.some((each) => each.name === name))
      complaints.push(`Annotation ${annotation}: the virtual machine has no interface ${name}.`);
    else addresses[name] = formatIpv4(address);
  }
  return { addresses, complaints };
}

/** The addresses in a config that came from annotations, as recorded in it. */
function rememberedAddresses(annotations: Record<string, string> = {}): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(annotations[STATIC_ADDRESSES_ANNOTATION] ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
