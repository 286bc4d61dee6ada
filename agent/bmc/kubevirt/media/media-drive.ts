import {
  type DataVolume,
  hasEnded,
  holdsMedia,
  type MediaSlot,
  type MediaStatus,
  mediaVolumeNames,
  savedMediaPlace,
  type VirtualMachineBMC,
  type Volume,
} from '../../../../api/index.ts';
import { MachineError, type MediaDrive, type MediaInsertion } from '../../../../protocols/machine/index.ts';
import { withoutAdvice } from './import-failure.ts';
import { maskedUrl } from './image-url.ts';
import type { MachinePair } from '../machine-objects.ts';
import { powerInputsOf } from '../power/power-inputs.ts';

const MEDIA_TYPES = { Cd: ['CD', 'DVD'], Usb: ['USBStick'] } as const;

/** The drive as clients see it, from the status. */
export function mediaDriveOf(
  slot: MediaSlot,
  entry: MediaStatus | undefined,
  verifiesCertificate: boolean,
  volume?: DataVolume,
): MediaDrive {
  const insertion = insertionOf(entry);
  const isEmpty = entry === undefined || !occupies(entry);
  const isOfEntry = entry?.id !== undefined && volume?.metadata.annotations?.[INSERTION_ANNOTATION] === entry.id;
  const source = isOfEntry ? volume.spec.source?.http?.url : undefined;
  return {
    id: slot,
    mediaTypes: MEDIA_TYPES[slot],
    ...(isEmpty || entry.image === undefined ? {} : { image: maskedUrl(entry.image) }),
    ...(isEmpty || source === undefined ? {} : { source }),
    ...(isEmpty || entry.userName === undefined ? {} : { userName: entry.userName }),
    ...(isEmpty ? {} : { transferMethod: 'Stream' as const }),
    isInserted: !isEmpty && entry.inserted === true,
    isWriteProtected: true,
    verifiesCertificate,
    ...(insertion === undefined ? {} : { insertion }),
  };
}

/** A failed image stays in the drive, with the reason, until it is ejected or replaced. */
function occupies({ phase }: MediaStatus): boolean {
  return phase !== undefined && phase !== 'Ejected' && phase !== 'Ejecting';
}

const STATES: Record<NonNullable<MediaStatus['phase']>, MediaInsertion['state']> = {
  Preparing: 'Importing',
  Importing: 'Importing',
  Waiting: 'Waiting',
  Inserted: 'Done',
  Failing: 'Failed',
  Failed: 'Failed',
  Ejecting: 'Done',
  Ejected: 'Done',
};

function insertionOf(entry: MediaStatus | undefined): MediaInsertion | undefined {
  if (entry?.id === undefined || entry.phase === undefined) return undefined;
  const { id, phase, progress, message = '', startedAt, endedAt } = entry;
  const percent = Number.parseFloat(progress ?? '');
  const isOver = phase === 'Ejecting' || phase === 'Ejected';
  // Ejected before the guest had it.
  const state = isOver && progress !== '100.0%' ? 'Failed' : STATES[phase];
  return {
    id,
    state,
    ...(Number.isNaN(percent) ? {} : { progress: percent }),
    ...(state === 'Failed' ? withoutAdvice(message) : { message }),
    startedAt: Date.parse(startedAt ?? '') || 0,
    ...(endedAt === undefined ? {} : { endedAt: Date.parse(endedAt) }),
  };
}

/** The status of the drive; undefined: it was never used. */
export function entryOf({ status }: VirtualMachineBMC, slot: MediaSlot): MediaStatus | undefined {
  return status?.virtualMedia?.find((entry) => entry.slot === slot);
}

/** The status of all drives, with this entry in the place of the previous one. */
export function entriesWith({ status }: VirtualMachineBMC, entry: MediaStatus): MediaStatus[] {
  const others = status?.virtualMedia?.filter(({ slot }) => slot !== entry.slot) ?? [];
  return [...others, entry].toSorted((a, b) => (a.slot < b.slot ? -1 : 1));
}

/** What the status keeps after an insertion; for a failed one also the request. */
export function emptied(entry: MediaStatus): MediaStatus {
  const { slot, id, phase, progress, message, startedAt, endedAt, volume, image, userName } = entry;
  const asked = phase === 'Failed' ? { image, userName } : {};
  const left = { slot, inserted: false, id, phase, progress, message, startedAt, endedAt, volume, ...asked };
  return JSON.parse(JSON.stringify(left)) as MediaStatus; // removes undefined fields
}

/**
 * A failed image does not block an insertion: Ironic ejects only inserted images.
 *
 * @throws MachineError `InvalidState`
 */
export function admitEmpty(entry: MediaStatus | undefined): void {
  if (entry === undefined || entry.phase === 'Failed' || !occupies(entry)) return;
  throw new MachineError('InvalidState', 'there is an image in the drive: eject it first');
}

/** The objects that an insertion depends on. */
export interface MediaView extends MachinePair {
  bmc: VirtualMachineBMC;
  slot: MediaSlot;
  /** Undefined: the drive was never used. */
  entry: MediaStatus | undefined;
  volume: DataVolume | undefined;
  /** ms since 1970 */
  now: number;
}

/** On a DataVolume: the ID of its insertion. */
export const INSERTION_ANNOTATION = 'bmc.kubevirt.io/insertion';

/**
 * Whether a machine waits before its boot for an image that was taken out. KubeVirt starts it only when it has all its
 * volumes, so it would wait forever.
 */
export function isAwaited({ bmc, slot, ...pair }: Pick<MediaView, 'bmc' | 'slot' | 'vm' | 'vmi'>): boolean {
  if (!isBeforeBoot(pair)) return false;
  const present = imagesOf(pair.vm?.spec.template.spec.volumes);
  const images = mediaVolumeNames(bmc.metadata.name, slot).filter((name) => !present.includes(name));
  return imagesOf(pair.vmi?.spec.volumes).some((name) => images.includes(name));
}

function imagesOf(volumes: readonly Volume[] = []): string[] {
  return volumes.flatMap(({ dataVolume }) => (dataVolume === undefined ? [] : [dataVolume.name]));
}

/** Whether the machine is powering on, and its guest does not run yet. */
function isBeforeBoot({ vm, vmi }: MachinePair): boolean {
  if (vm === undefined || vmi === undefined || !BEFORE_BOOT.has(vmi.status?.phase)) return false;
  return powerInputsOf(vm, vmi).state !== 'PoweringOff';
}

/** Phases of a VMI whose pod does not run yet. */
const BEFORE_BOOT: ReadonlySet<string | undefined> = new Set([undefined, '', 'Pending', 'Scheduling']);

/** Whether a running guest has the image and keeps it after it is removed from the VM's template. */
export function isKeptByGuest(entry: MediaStatus, pair: MachinePair): boolean {
  const place = savedMediaPlace(entry);
  const { vmi } = pair;
  if (place === undefined || place.hotpluggable || vmi === undefined || hasEnded(vmi)) return false;
  if (isBeforeBoot(pair)) return false;
  return holdsMedia(vmi.spec, place);
}
