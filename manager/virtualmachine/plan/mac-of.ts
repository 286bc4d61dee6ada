import {
  ANNOTATIONS,
  canonicalMac,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceInterface,
} from '../../../api/index.ts';

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

/** Whether a guest runs or is about to run. */
export function isRunning(instance: VirtualMachineInstance | undefined): instance is VirtualMachineInstance {
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
