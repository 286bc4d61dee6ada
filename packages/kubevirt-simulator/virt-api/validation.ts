import { claimNameOf } from '../hotplug/index.ts';
import { RUN_STRATEGIES, type InstanceSpec, type VirtualMachineSpec } from '../kubevirt/objects.ts';

/** The first reason to refuse a VM, or undefined. KubeVirt checks more (`vms-admitter.go`). */
export function faultInVirtualMachine(spec: VirtualMachineSpec, mayDriveBeEmpty: boolean): string | undefined {
  const { running, runStrategy, template, dataVolumeTemplates = [] } = spec;
  if (template === undefined) return 'missing virtual machine template.';
  if (running !== undefined && runStrategy !== undefined) return 'Running and RunStrategy are mutually exclusive';
  if (running === undefined && runStrategy === undefined) return 'RunStrategy must be specified';
  if (runStrategy !== undefined && !RUN_STRATEGIES.some((known) => known === runStrategy)) {
    return `Invalid RunStrategy (${runStrategy})`;
  }
  const used = new Set((template.spec.volumes ?? []).map(claimNameOf));
  const unused = dataVolumeTemplates.find(({ metadata }) => !used.has(metadata.name));
  if (unused !== undefined) {
    return `DataVolumeTemplate entry ${unused.metadata.name} must be referenced in the VMI template's 'volumes' list`;
  }
  return faultInInstance(template.spec, mayDriveBeEmpty);
}

/** The reason to refuse a new instance: no memory. A VM may have none, because it may get it from an instance type. */
export function faultInNewInstance(spec: InstanceSpec, mayDriveBeEmpty: boolean): string | undefined {
  const { memory, resources } = spec.domain;
  const named = [memory?.guest, memory?.hugepages, resources?.requests?.['memory']];
  if (named.every((value) => value === undefined)) {
    return 'no memory requested, at least one of memory.guest, memory.hugepages.size or resources.memory must be set';
  }
  return faultInInstance(spec, mayDriveBeEmpty);
}

/** The first reason to refuse the spec of a VM's template or of an instance. */
function faultInInstance(spec: InstanceSpec, mayDriveBeEmpty: boolean): string | undefined {
  return (
    faultInDrives(spec, mayDriveBeEmpty) ?? faultInOrders(spec) ?? faultInStart(spec) ?? faultInFirmware(spec.domain)
  );
}

/** Only a CD-ROM drive may be empty, and only with the feature gate. */
function faultInDrives({ volumes = [], domain }: InstanceSpec, mayDriveBeEmpty: boolean): string | undefined {
  const empty = (domain.devices?.disks ?? []).filter(({ name }) => volumes.every((volume) => volume.name !== name));
  const disk = empty.find(({ cdrom }) => cdrom === undefined);
  if (disk !== undefined) return `the volume of the disk '${disk.name}' not found.`;
  if (empty.length === 0 || mayDriveBeEmpty) return undefined;
  return 'DeclarativeHotplugVolumes feature gate not enabled, cannot define an empty CD-ROM disk';
}

function faultInOrders({ domain }: InstanceSpec): string | undefined {
  const { disks = [], interfaces = [] } = domain.devices ?? {};
  const orders = [...disks, ...interfaces].flatMap(({ bootOrder }) => bootOrder ?? []);
  if (orders.some((order) => order < 1)) return 'a device must have a boot order > 0, if supplied';
  return new Set(orders).size === orders.length ? undefined : 'Boot order already set for a different device.';
}

function faultInStart({ startStrategy, livenessProbe }: InstanceSpec): string | undefined {
  if (startStrategy === undefined) return undefined;
  if (startStrategy !== 'Paused') return `startStrategy is set with an unrecognized option: ${startStrategy}`;
  return livenessProbe === undefined ? undefined : 'Pausing VMI with LivenessProbe is not supported';
}

/** Secure boot, which EFI has by default, needs system management mode. */
function faultInFirmware({ firmware, features }: InstanceSpec['domain']): string | undefined {
  const { bios, efi } = firmware?.bootloader ?? {};
  if (efi === undefined) return undefined;
  if (bios !== undefined) return 'both EFI and BIOS configured, but they are mutually exclusive.';
  const hasSmm = features?.smm !== undefined && features.smm.enabled !== false;
  return efi.secureBoot === false || hasSmm ? undefined : 'SecureBoot requires SMM, which is currently disabled.';
}
