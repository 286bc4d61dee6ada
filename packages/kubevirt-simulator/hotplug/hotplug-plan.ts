import { isDeepStrictEqual } from 'node:util';
import type { Disk, VirtualMachine, VirtualMachineInstance, Volume } from '../kubevirt/objects.ts';
import { isHotpluggable } from './storage.ts';

/** Volumes and disks of a running instance. */
export interface HotplugPlan {
  volumes: Volume[];
  disks: Disk[];
}

/**
 * The volumes and disks of a running instance after changes of hot-pluggable volumes in its VM (`patchHotplugVolumes`);
 * undefined if nothing changes. A changed volume is removed first, and added again when its status is gone.
 */
export function planHotplug(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): HotplugPlan | undefined {
  if (vmi?.status?.phase !== 'Running' || vm.spec.template === undefined) return undefined;
  const wanted = partsOf(vm.spec.template.spec);
  const present = partsOf(vmi.spec);
  const inUse = new Set((vmi.status.volumeStatus ?? []).map(({ name }) => name));
  const volumes = [
    ...present.volumes.filter((volume) => staysIn(volume, wanted.volume(volume.name))),
    ...wanted.volumes.filter(
      (volume) => isHotpluggable(volume) && present.volume(volume.name) === undefined && !inUse.has(volume.name),
    ),
  ];
  const volume = (name: string): Volume | undefined => volumes.find((candidate) => candidate.name === name);
  const disks = [
    ...present.disks.filter((disk) => volume(disk.name) !== undefined || staysEmpty(disk, wanted)),
    ...wanted.disks.filter((disk) => {
      const medium = volume(disk.name);
      return medium !== undefined && isHotpluggable(medium) && present.disk(disk.name) === undefined;
    }),
  ];
  const isThere = isDeepStrictEqual(volumes, present.volumes) && isDeepStrictEqual(disks, present.disks);
  return isThere ? undefined : { volumes, disks };
}

/** The patch that KubeVirt sends, which fails when the instance has changed meanwhile. */
export function hotplugPatch(vmi: VirtualMachineInstance, { volumes, disks }: HotplugPlan): unknown[] {
  const present = partsOf(vmi.spec);
  const replaced = (path: string, old: readonly unknown[], value: readonly unknown[]): unknown[] =>
    old.length === 0
      ? [{ op: 'add', path, value }]
      : [
          { op: 'test', path, value: old },
          { op: 'replace', path, value },
        ];
  return [
    ...replaced('/spec/volumes', present.volumes, volumes),
    ...replaced('/spec/domain/devices/disks', present.disks, disks),
  ];
}

function staysIn(volume: Volume, wanted: Volume | undefined): boolean {
  if (!isHotpluggable(volume)) return true;
  if (wanted === undefined) return false;
  return !isHotpluggable(wanted) || isDeepStrictEqual(wanted, volume);
}

/** A disk is removed with its volume, except for a CD-ROM drive. */
function staysEmpty(disk: Disk, wanted: Parts): boolean {
  const next = wanted.disk(disk.name);
  if (next === undefined) return false;
  const isDrive = disk['cdrom'] !== undefined && next['cdrom'] !== undefined;
  return wanted.volume(disk.name) === undefined || isDrive;
}

interface Parts {
  volumes: readonly Volume[];
  disks: readonly Disk[];
  volume: (name: string) => Volume | undefined;
  disk: (name: string) => Disk | undefined;
}

function partsOf({ volumes = [], domain }: VirtualMachineInstance['spec']): Parts {
  const disks = domain.devices?.disks ?? [];
  return {
    volumes,
    disks,
    volume: (name) => volumes.find((volume) => volume.name === name),
    disk: (name) => disks.find((disk) => disk.name === name),
  };
}
