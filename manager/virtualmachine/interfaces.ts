import {
  networkKey,
  ANNOTATIONS,
  canonicalMac,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceSpec,
  type VirtualMachineInstanceInterface,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';

/** An interface of a virtual machine on a network with a pool. */
export interface ManagedInterface {
  name: string;
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** Its index in the template's list; undefined if only the running instance has it. */
  index: number | undefined;
}

/** An interface in the template. */
interface TemplateInterface extends ManagedInterface {
  index: number;
}

/**
 * The interfaces in the template, in order, that are on one of the given networks. Interfaces on the pod network, on a
 * network without a pool, or being unplugged are excluded.
 */
export function managedInterfaces(vm: VirtualMachine, networks: ReadonlySet<string>): TemplateInterface[] {
  return interfacesIn(vm.spec.template.spec, vm.metadata.namespace).filter(({ network }) => networks.has(network));
}

/**
 * The interfaces of a running instance that the template no longer has, or has on another network: the guest uses their
 * addresses until it is restarted.
 */
export function outlivedInterfaces(
  vm: VirtualMachine,
  instance: VirtualMachineInstance | undefined,
  networks: ReadonlySet<string>,
): ManagedInterface[] {
  if (!isRunning(instance)) return [];
  const template = new Set(managedInterfaces(vm, networks).map(({ name, network }) => `${name} ${network}`));
  return interfacesIn(instance.spec, vm.metadata.namespace)
    .filter(({ name, network }) => networks.has(network) && !template.has(`${name} ${network}`))
    .map(({ name, network }) => ({ name, network, index: undefined }));
}

/** The Multus networks of a VM or its instance, as `namespace/name`, without duplicates. */
export function multusNetworks({ metadata, spec }: VirtualMachine, instance?: VirtualMachineInstance): string[] {
  const specs = [spec.template.spec, ...(instance === undefined ? [] : [instance.spec])];
  return [...new Set(specs.flatMap((each) => [...networksByName(each, metadata.namespace).values()]))];
}

function interfacesIn(spec: VirtualMachineInstanceSpec, namespace: string | undefined): TemplateInterface[] {
  const byName = networksByName(spec, namespace);
  return (spec.domain.devices.interfaces ?? []).flatMap(({ name, state }, index) => {
    const network = byName.get(name);
    return network === undefined || state === 'absent' ? [] : [{ name, network, index }];
  });
}

function networksByName({ networks = [] }: VirtualMachineInstanceSpec, namespace = ''): Map<string, string> {
  return new Map(
    networks.flatMap(({ name, multus }) =>
      // Without a namespace KubeVirt uses the VM's namespace.
      multus === undefined ? [] : [[name, networkKey(multus.networkName, namespace)]],
    ),
  );
}

/**
 * The interface's MAC address on the network, in canonical form; undefined if not known yet.
 *
 * Stopped VM: from the template, else from Harvester's annotation. Running VM: from the instance, which may have an
 * earlier template; if that has none, from KubeVirt's status report.
 */
export function macOf(
  name: string,
  vm: VirtualMachine,
  instance: VirtualMachineInstance | undefined,
): string | undefined {
  if (!isRunning(instance)) return macOfTemplate(name, vm) ?? harvesterMacs(vm)[name];
  const made = instance.spec.domain.devices.interfaces?.find((each) => each.name === name);
  // Hot-plugged since: the instance will get it as in the template.
  if (made === undefined) return macOfTemplate(name, vm);
  return canonical(made.macAddress) ?? reportedMac(name, instance.status?.interfaces) ?? harvesterMacs(vm)[name];
}

/**
 * The MAC addresses that a VM or its guest has on a network, and the number of interfaces there without a known one.
 *
 * @param vm undefined: it does not exist; its guest may still run
 */
export function macsOn(
  network: string,
  vm: VirtualMachine | undefined,
  instance: VirtualMachineInstance | undefined,
): { macs: ReadonlySet<string>; unknown: number } {
  const guest = isRunning(instance) ? instance : undefined;
  const { namespace } = (vm ?? guest)?.metadata ?? {};
  const specs = [vm?.spec.template.spec, guest?.spec].filter((spec) => spec !== undefined);
  const names = new Set(
    specs
      .flatMap((spec) => interfacesIn(spec, namespace).filter((each) => each.network === network))
      .map(({ name }) => name),
  );
  const known = [...names].map((name) =>
    [
      ...(vm === undefined ? [] : [macOfTemplate(name, vm), harvesterMacs(vm)[name]]),
      canonical(guest?.spec.domain.devices.interfaces?.find((each) => each.name === name)?.macAddress),
      reportedMac(name, guest?.status?.interfaces),
    ].filter((mac) => mac !== undefined),
  );
  return { macs: new Set(known.flat()), unknown: known.filter((macs) => macs.length === 0).length };
}

/** Whether a guest runs or is about to run. */
function isRunning(instance: VirtualMachineInstance | undefined): instance is VirtualMachineInstance {
  const phase = instance?.status?.phase;
  return instance !== undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** The MAC addresses that Harvester keeps on the VM, by interface; empty if the annotation is not valid. */
export function harvesterMacs({ metadata }: VirtualMachine): Record<string, string> {
  let noted: unknown;
  try {
    noted = JSON.parse(metadata.annotations?.[ANNOTATIONS.harvesterMac] ?? '{}');
  } catch {
    return {};
  }
  if (typeof noted !== 'object' || noted === null) return {};
  const macs = Object.entries(noted).map(([name, mac]) => [name, typeof mac === 'string' ? canonical(mac) : undefined]);
  // Undefined values were removed above.
  return Object.fromEntries(macs.filter(([, mac]) => mac !== undefined)) as Record<string, string>;
}

function macOfTemplate(name: string, { spec }: VirtualMachine): string | undefined {
  return canonical(spec.template.spec.domain.devices.interfaces?.find((each) => each.name === name)?.macAddress);
}

function reportedMac(name: string, interfaces: readonly VirtualMachineInstanceInterface[] = []): string | undefined {
  return canonical(interfaces.find((each) => each.name === name)?.mac);
}

function canonical(mac: string | undefined): string | undefined {
  return mac === undefined ? undefined : canonicalMac(mac);
}

/** All inputs for one virtual machine, read at one time. */
export interface Inputs {
  vm: VirtualMachine;
  /** The instance of the same name, in any phase. */
  instance: VirtualMachineInstance | undefined;
  /** All configs of the namespace that name the VM or have its name. */
  configs: readonly VirtualMachineNetworkConfig[];
  /** The VM's networks (`namespace/name`) that have a pool. */
  managedNetworks: ReadonlySet<string>;
  /** Absent: assign no MAC addresses. */
  clusterUid: string | undefined;
}
