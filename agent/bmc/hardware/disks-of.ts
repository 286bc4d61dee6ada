import {
  amountOf,
  type VirtualMachine,
  type VirtualMachineInstance,
  type VirtualMachineInstanceSpec,
} from '../../../api/index.ts';
import type { Hardware } from '../../../protocols/machine/index.ts';
import { present } from './present.ts';

const DISK = 'Disk';

/** @param guest the running guest, or the one to be started */
export function disksOf(
  guest: VirtualMachineInstanceSpec,
  vm: VirtualMachine | undefined,
  vmi: VirtualMachineInstance | undefined,
): Hardware['disks'] {
  return (guest.domain.devices.disks ?? []).map(({ name, serial, cdrom, lun, disk }) => {
    const [kind, target] =
      cdrom !== undefined
        ? (['Cdrom', cdrom] as const)
        : lun !== undefined
          ? (['Lun', lun] as const)
          : ([DISK, disk] as const);
    return present({
      name,
      kind,
      bus: target?.bus,
      capacityBytes: capacityIn(vmi, name) ?? capacityAskedFor(guest, vm, name),
      serial,
      isReadOnly: target?.readonly ?? kind === 'Cdrom',
    });
  });
}

/** The capacity found by KubeVirt when the guest was started. */
function capacityIn(vmi: VirtualMachineInstance | undefined, name: string): number | undefined {
  const volume = vmi?.status?.volumeStatus?.find((status) => status.name === name);
  return amountOf(volume?.persistentVolumeClaimInfo?.capacity?.storage) ?? volume?.size;
}

/** The capacity that the VM itself requests; unknown for existing claims. */
function capacityAskedFor(
  { volumes = [] }: VirtualMachineInstanceSpec,
  vm: VirtualMachine | undefined,
  name: string,
): number | undefined {
  const volume = volumes.find((other) => other.name === name);
  const dataVolume = volume?.dataVolume?.name ?? volume?.persistentVolumeClaim?.claimName;
  const { pvc, storage } =
    vm?.spec.dataVolumeTemplates?.find(({ metadata }) => metadata.name === dataVolume)?.spec ?? {};
  return amountOf(volume?.emptyDisk?.capacity ?? (storage ?? pvc)?.resources?.requests?.storage);
}
