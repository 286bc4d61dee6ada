import {
  networkKey,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceSpec,
} from '../../../api/index.ts';
import { isRunning } from './mac-of.ts';

/** An interface of a virtual machine on a network with a pool. */
export interface ManagedInterface {
  name: string;
  /** `namespace/name` of the net-attach-def. */
  network: string;
  /** Its index in the template's list; undefined if only the running instance has it. */
  index: number | undefined;
}

/** An interface in the template. */
export interface TemplateInterface extends ManagedInterface {
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
