import {
  ANNOTATIONS,
  canonicalMac,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceInterface,
} from '../../../api/index.ts';

/**
 * The MAC address that the interface has on the wire, in the spelling that is stored; undefined where nobody knows yet.
 *
 * Off: what the template says, else what Harvester noted. Running: what the instance was made with, which may be an
 * earlier template; where it was made without one, what KubeVirt reports of it.
 */
export function macOf(
  name: string,
  vm: VirtualMachine,
  instance: VirtualMachineInstance | undefined,
): string | undefined {
  if (!isRunning(instance)) return macOfTemplate(name, vm) ?? harvesterMacs(vm)[name];
  const made = instance.spec.domain.devices.interfaces?.find((each) => each.name === name);
  // Plugged in since: the instance is about to get it as the template has it.
  if (made === undefined) return macOfTemplate(name, vm);
  return canonical(made.macAddress) ?? reportedMac(name, instance.status?.interfaces) ?? harvesterMacs(vm)[name];
}

/** Whether a guest runs, or is about to. */
export function isRunning(instance: VirtualMachineInstance | undefined): instance is VirtualMachineInstance {
  const phase = instance?.status?.phase;
  return instance !== undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** The MAC addresses that Harvester keeps on the VM, by interface; none where the annotation is not what it writes. */
export function harvesterMacs({ metadata }: VirtualMachine): Record<string, string> {
  let noted: unknown;
  try {
    noted = JSON.parse(metadata.annotations?.[ANNOTATIONS.harvesterMac] ?? '{}');
  } catch {
    return {};
  }
  if (typeof noted !== 'object' || noted === null) return {};
  const macs = Object.entries(noted).map(([name, mac]) => [name, typeof mac === 'string' ? canonical(mac) : undefined]);
  // What is no MAC address has just been taken out, which the compiler cannot see.
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
