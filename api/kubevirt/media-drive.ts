import type { MediaSlot } from '../names.ts';
import { type JsonPatchOp, machineNoteOps, unchangedSince } from './template-notes.ts';
import { MEDIA_ANNOTATIONS, vmNotePatch } from './vm-notes.ts';
import type { Disk, VirtualMachine, VirtualMachineInstanceSpec, Volume } from './virtual-machine.ts';

/** The place of an image in a VM, with the data to restore the drive. */
export interface MediaPlace {
  /** The drive of the BMC. */
  slot: MediaSlot;
  /** Name of the disk, and of the volume in it. */
  drive: string;
  /** The VM had no such drive. */
  driveAdded: boolean;
  /** The owner's volume in the drive. */
  originalVolume?: Volume;
  /** Name of the DataVolume with the image. */
  volume: string;
  /** It can be inserted and ejected while the guest runs. */
  hotpluggable: boolean;
}

/** Beginning of the names of USB disks that are added. The chart's admission policy lets an agent add and remove no others. */
export const STICK = 'bmc-usb';

/** The disk that is added to a VM without such a drive. */
const ADDED: Record<MediaSlot, Disk> = {
  Cd: { name: 'bmc-cd', cdrom: { bus: 'sata' } },
  Usb: { name: STICK, disk: { bus: 'usb', readonly: true } },
};
const SPEC = '/spec/template/spec';

/**
 * On a VM while an image replaces its owner's volume: that volume, as `originalNote` describes it. The chart's admission policy lets an
 * agent write this annotation only for the volume in the drive, and put back only the volume that it names.
 */
const ORIGINAL_ANNOTATION = 'bmc.kubevirt.io/original-volume';

/** Undefined: a volume with data of a Secret or a ConfigMap, such as cloud-init. An agent that puts back such volumes could read any. */
function originalNote({ name, dataVolume, persistentVolumeClaim, containerDisk }: Volume): string | undefined {
  if (dataVolume !== undefined) return `${name} dataVolume ${dataVolume.name}`;
  if (persistentVolumeClaim !== undefined) return `${name} persistentVolumeClaim ${persistentVolumeClaim.claimName}`;
  if (containerDisk === undefined) return undefined;
  const { image = '', path = '', imagePullSecret = '' } = containerDisk;
  return `${name} containerDisk ${image} ${path} ${imagePullSecret}`;
}

/**
 * An empty CD-ROM drive of the VM, else its first one with a disk image, else a new one; a USB stick is always a new one, since a disk
 * is never empty. KubeVirt hotplugs no drives, and replaces only hotplugged volumes; others wait for the next boot.
 *
 * @param hotplugs KubeVirt hotplugs volumes declaratively
 */
export function mediaPlaceIn(vm: VirtualMachine, slot: MediaSlot, volume: string, hotplugs: boolean): MediaPlace {
  const { domain, volumes = [] } = vm.spec.template.spec;
  const disks = domain.devices.disks ?? [];
  const drives = disks.filter((disk) => slot === 'Cd' && isDrive(disk, slot));
  const contentOf = ({ name }: Disk): Volume | undefined => volumes.find((candidate) => candidate.name === name);
  const drive =
    drives.find((candidate) => contentOf(candidate) === undefined) ??
    drives.find((candidate) => originalNote(contentOf(candidate) ?? { name: '' }) !== undefined);
  if (drive === undefined) {
    const taken = new Set([...disks, ...volumes].map(({ name }) => name));
    let { name } = ADDED[slot];
    for (let next = 2; taken.has(name); next += 1) name = `${ADDED[slot].name}-${next}`;
    return { slot, drive: name, driveAdded: true, volume, hotpluggable: false };
  }
  const original = contentOf(drive);
  return {
    slot,
    drive: drive.name,
    driveAdded: false,
    volume,
    hotpluggable: hotplugs && (original === undefined || isHotpluggable(original)),
    ...(original === undefined ? {} : { originalVolume: original }),
  };
}

/** Whether the drive of a VM's template or a VMI contains the image. */
export function holdsMedia({ volumes = [] }: VirtualMachineInstanceSpec, { drive, volume }: MediaPlace): boolean {
  return volumes.some(({ name, dataVolume }) => name === drive && dataVolume?.name === volume);
}

/**
 * Inserts the image into the drive and writes the note; empty if both are there. A patch made from a stale VM is rejected (422) after any change of the VM,
 * so a final ejection, which changes the VM first, cannot be undone by an older insertion. Undefined: the drive was removed, or its
 * volume is not the saved one.
 */
export function insertPatch(vm: VirtualMachine, place: MediaPlace, note: object): JsonPatchOp[] | undefined {
  const { spec } = vm.spec.template;
  if (holdsMedia(spec, place)) {
    const noteOps = vmNotePatch(vm, MEDIA_ANNOTATIONS[place.slot], note);
    return noteOps.length === 0 ? [] : [unchangedSince(vm), ...noteOps];
  }
  const { disks } = spec.domain.devices;
  const present = spec.volumes?.find(({ name }) => name === place.drive);
  const hasDrive = disks?.some((disk) => disk.name === place.drive && isDrive(disk, place.slot)) === true;
  if (hasDrive === place.driveAdded || canonical(present) !== canonical(place.originalVolume)) return undefined;
  const dataVolume = { name: place.volume, ...(place.hotpluggable ? { hotpluggable: true } : {}) };
  const volume: Volume = { name: place.drive, dataVolume };
  const drive: Disk = { ...ADDED[place.slot], name: place.drive };
  const volumes = replaced(spec.volumes ?? [], place.drive, volume);
  return [
    unchangedSince(vm),
    ...(place.driveAdded ? written(`${SPEC}/domain/devices/disks`, disks, [...(disks ?? []), drive]) : []),
    ...written(`${SPEC}/volumes`, spec.volumes, volumes),
    ...machineNoteOps(vm, notesOf(place, note)),
  ];
}

/**
 * Restores the owner's volume in the drive, and removes an added drive and the note. Later changes of the owner are kept. Guarded by the VM's uid
 * and by a test of each written list; empty if there is nothing to restore.
 */
export function ejectPatch(vm: VirtualMachine, place: MediaPlace): JsonPatchOp[] {
  const { spec } = vm.spec.template;
  const { disks } = spec.domain.devices;
  const isIn = holdsMedia(spec, place);
  // What an agent has saved is not trusted with other volumes than those that it may replace.
  const original = place.originalVolume && originalNote(place.originalVolume) ? place.originalVolume : undefined;
  const volumes = isIn ? replaced(spec.volumes ?? [], place.drive, original) : (spec.volumes ?? []);
  const isEmpty = volumes.every(({ name }) => name !== place.drive);
  const drives =
    place.driveAdded && isEmpty
      ? disks?.filter((disk) => disk.name !== place.drive || !isDrive(disk, place.slot))
      : disks;
  return guarded(vm, [
    ...(isIn ? written(`${SPEC}/volumes`, spec.volumes, volumes) : []),
    ...(drives?.length === disks?.length ? [] : written(`${SPEC}/domain/devices/disks`, disks, drives ?? [])),
    ...machineNoteOps(vm, notesOf(place, undefined)),
  ]);
}

/** A stick is removed whatever bus the owner gave it: KubeVirt refuses any disk without a volume, but no empty CD-ROM drive. */
function isDrive({ cdrom }: Disk, slot: MediaSlot): boolean {
  return (cdrom === undefined) === (slot === 'Usb');
}

/** The annotations of the VM while the image is in the place. Only a CD-ROM drive can have had a volume of the owner. */
function notesOf({ slot, originalVolume }: MediaPlace, note: object | undefined): Record<string, string | undefined> {
  const original = note && originalVolume && originalNote(originalVolume);
  return {
    ...(slot === 'Cd' ? { [ORIGINAL_ANNOTATION]: original } : {}),
    [MEDIA_ANNOTATIONS[slot]]: note && JSON.stringify(note),
  };
}

/** Replaces or appends a volume; undefined: removes it. */
function replaced(volumes: readonly Volume[], name: string, by: Volume | undefined): Volume[] {
  const index = volumes.findIndex((volume) => volume.name === name);
  if (by === undefined) return volumes.filter((volume) => volume.name !== name);
  return index === -1 ? [...volumes, by] : volumes.with(index, by);
}

function written(path: string, before: readonly unknown[] | undefined, value: readonly unknown[]): JsonPatchOp[] {
  if (before === undefined) return [{ op: 'add', path, value }];
  return [
    { op: 'test', path, value: before },
    { op: 'replace', path, value },
  ];
}

function guarded(vm: VirtualMachine, operations: JsonPatchOp[]): JsonPatchOp[] {
  if (operations.length === 0) return [];
  return [{ op: 'test', path: '/metadata/uid', value: vm.metadata.uid }, ...operations];
}

function isHotpluggable({ dataVolume, persistentVolumeClaim }: Volume): boolean {
  return (dataVolume ?? persistentVolumeClaim)?.hotpluggable === true;
}

/** JSON with sorted fields. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
