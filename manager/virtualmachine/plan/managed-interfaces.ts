import {
  networkKey,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceSpec,
} from '../../../api/index.ts';
import { isRunning } from './mac-of.ts';

/** An interface of a virtual machine, on a network that has a pool. */
export interface ManagedInterface {
  name: string;
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** Its place in the template's list; undefined for one that the running instance alone has. */
  index: number | undefined;
}

/** One that the template has. */
export interface TemplateInterface extends ManagedInterface {
  index: number;
}

/**
 * The interfaces that get addresses of ours: those on one of the networks given, in the template's order. What is on the
 * pods' network, on a network without a pool, or being unplugged is not among them.
 */
export function managedInterfaces(vm: VirtualMachine, networks: ReadonlySet<string>): TemplateInterface[] {
  return interfacesIn(vm.spec.template.spec, vm.metadata.namespace).filter(({ network }) => networks.has(network));
}

/**
 * What a running instance still has, and the template has no more or has on another network: its guest uses the address
 * until it is restarted.
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

/** The networks that a machine is attached to by Multus, or its instance is, as `namespace/name`, each once. */
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
      // Without a namespace KubeVirt means the machine's own.
      multus === undefined ? [] : [[name, networkKey(multus.networkName, namespace)]],
    ),
  );
}
