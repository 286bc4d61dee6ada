import {
  type DataVolume,
  ejectMediaPatch,
  hasEnded,
  holdsMedia,
  insertPatch,
  type JsonPatchOp,
  type MediaPlace,
  type MediaSlot,
  type MediaStatus,
  notedMediaOf,
  noteOfMedia,
  savedMediaPlace,
} from '../../../../api/index.ts';
import { isOwnedBy } from '../../objects/object-version.ts';
import { importDelayOf, importFailureOf } from './import-failure.ts';
import { maskedUrl } from './image-url.ts';
import { INSERTION_ANNOTATION, isAwaited, type MediaView as AnyView } from './media-drive.ts';

/** The next step of an insertion or ejection. Each is idempotent. */
export type MediaStep =
  | { do: 'rest' }
  | { do: 'make volume' }
  | { do: 'power cycle' }
  | { do: 'delete volume' }
  | { do: 'patch machine'; patch: JsonPatchOp[] }
  | { do: 'note'; change: Partial<MediaStatus> };

const REST: MediaStep = { do: 'rest' };

type MediaView = AnyView & { entry: MediaStatus };

/** Derives the next step from the API objects alone, so that any agent can continue after a crash. */
export function nextStep({ entry, ...rest }: AnyView): MediaStep {
  if (rest.bmc.metadata.deletionTimestamp !== undefined || hasStrayImage(rest.vm, rest.slot, entry))
    return takeOut(rest) ?? REST;
  if (isAwaited(rest)) return { do: 'power cycle' };
  if (entry === undefined) return REST;
  const view = { ...rest, entry };
  const { image, phase } = entry;
  // An agent before this version wrote the whole URL into the status.
  if (image !== undefined && phase !== 'Preparing' && maskedUrl(image) !== image)
    return note({ image: maskedUrl(image) });
  switch (phase) {
    case 'Preparing':
      return prepare(view);
    case 'Importing':
    case 'Waiting':
    case 'Inserted':
      return follow(view);
    case 'Failing':
    case 'Ejecting':
      return undo(view);
    default:
      return REST;
  }
}

/**
 * Whether the VM has an image of which the BMC's status says nothing: the status was lost in a restore from a backup, or
 * the insertion had ended when another agent carried it out.
 */
export function hasStrayImage(vm: AnyView['vm'], slot: MediaSlot, entry: MediaStatus | undefined): boolean {
  const noted = vm && notedMediaOf(vm, slot);
  if (noted === undefined) return false;
  return noted.id !== entry?.id || entry?.phase === 'Ejected' || entry?.phase === 'Failed';
}

/** First the volume, then the machine: KubeVirt starts a machine only when its volumes are populated. */
function prepare(view: MediaView): MediaStep {
  const { bmc, entry, vm, volume } = view;
  const strayed = strayedFrom(view);
  if (vm === undefined || strayed !== undefined) return strayed ?? REST;
  if (volume === undefined) return { do: 'make volume' };
  if (!isOwnedBy(volume, bmc)) {
    const { name } = volume.metadata;
    return fail(`DataVolume ${name} belongs to another owner: rename or delete it, so that the BMC can create its own`);
  }
  // Both volumes are still in deletion: one waits for a guest to end, the other for CDI.
  if (volume.metadata.deletionTimestamp !== undefined) return REST;
  if (volume.metadata.annotations?.[INSERTION_ANNOTATION] !== entry.id) return { do: 'delete volume' };
  const place = placeIn(view);
  if (place !== undefined) {
    const patch = insertPatch(vm, place, noteOfMedia(entry));
    if (patch === undefined)
      return fail(`the drive ${place.drive} of the virtual machine was changed during the insertion`);
    if (patch.length > 0) return { do: 'patch machine', patch };
  }
  return note({ phase: 'Importing', message: IMPORTING });
}

function follow(view: MediaView): MediaStep {
  const { entry, slot, vm, volume } = view;
  const strayed = strayedFrom(view);
  if (vm === undefined || strayed !== undefined) return strayed ?? REST;
  if (volume === undefined || volume.metadata.deletionTimestamp !== undefined) {
    return fail('the DataVolume with the image was deleted');
  }
  const place = placeIn(view);
  if (place !== undefined && !holdsMedia(vm.spec.template.spec, place)) {
    return note({ phase: 'Ejecting', message: 'the owner of the virtual machine took the image out' });
  }
  if (place !== undefined && notedMediaOf(vm, slot) === undefined) {
    // An earlier version inserted it.
    return { do: 'patch machine', patch: insertPatch(vm, place, noteOfMedia(entry)) ?? [] };
  }
  if (entry.phase === 'Inserted') return REST;
  if (volume.status?.phase === 'Succeeded') return arrive(view, place);
  return showImport(entry, volume);
}

function showImport(entry: MediaStatus, volume: DataVolume): MediaStep {
  const failure = importFailureOf(volume);
  if (failure !== undefined) return fail(failure);
  const progress = roundedProgress(volume.status?.progress) ?? entry.progress;
  const message = importDelayOf(volume) ?? IMPORTING;
  if (progress === entry.progress && message === entry.message) return REST;
  return note({ message, ...(progress === undefined ? {} : { progress }) });
}

const IMPORTING = 'the image is being imported';

/** Only an insertion that is done has 100 %. */
const ALMOST = '99.0%';
const PLUGGING = 'the image is being plugged in';

/** The image is imported; the machine may not have it yet. */
function arrive({ entry, vmi, now }: MediaView, place: MediaPlace | undefined): MediaStep {
  const done = (message: string, inserted = true): MediaStep =>
    note({ phase: 'Inserted', inserted, progress: '100.0%', message, endedAt: new Date(now).toISOString() });
  if (place === undefined) return done('the image is imported, but not inserted', false);
  if (vmi === undefined || hasEnded(vmi)) return done('the image is in the drive when the machine is powered on');
  const { drive, hotpluggable } = place;
  const status = vmi.status?.volumeStatus?.find(({ name }) => name === drive);
  if (hotpluggable && vmi.spec.domain.devices.disks?.some(({ name }) => name === drive) === true) {
    if (holdsMedia(vmi.spec, place) && status?.phase === 'Ready') return done('the image is in the drive');
    return entry.message === PLUGGING ? REST : note({ progress: ALMOST, message: PLUGGING });
  }
  if (holdsMedia(vmi.spec, place) && isNewer(vmi.metadata.creationTimestamp, entry.startedAt)) {
    return done('the image is in the drive');
  }
  if (entry.phase === 'Waiting') return REST;
  const message =
    'the image is imported; the machine gets it when it is powered off and on, or power cycled, since KubeVirt cannot insert it into a running machine';
  return note({ phase: 'Waiting', inserted: true, progress: ALMOST, message });
}

function undo(view: MediaView): MediaStep {
  const { bmc, entry, volume, now } = view;
  const patch = takeOut(view);
  if (patch !== undefined) return patch;
  const isThere = volume !== undefined && volume.metadata.deletionTimestamp === undefined;
  if (isThere && isOwnedBy(volume, bmc)) return { do: 'delete volume' };
  const endedAt = entry.endedAt ?? new Date(now).toISOString();
  if (entry.phase === 'Failing') return note({ phase: 'Failed', endedAt });
  return note({ phase: 'Ejected', endedAt });
}

/** Restores the previous content of the drive. A recreated VM is left unchanged. */
function takeOut({ bmc, slot, vm }: Pick<AnyView, 'bmc' | 'slot' | 'vm'>): MediaStep | undefined {
  const patch = vm === undefined ? [] : ejectMediaPatch(bmc, vm, [slot]);
  return patch.length === 0 ? undefined : { do: 'patch machine', patch };
}

/** The VM is not the one that the image was inserted into. */
function strayedFrom({ entry, vm }: MediaView): MediaStep | undefined {
  if (vm === undefined || vm.metadata.uid === entry.vmUID) return undefined;
  return note({ phase: 'Ejecting', message: 'the virtual machine was recreated without the image' });
}

function placeIn({ entry }: MediaView): MediaPlace | undefined {
  return entry.detached === true ? undefined : savedMediaPlace(entry);
}

function note(change: Partial<MediaStatus>): MediaStep {
  return { do: 'note', change };
}

function fail(message: string): MediaStep {
  return note({ phase: 'Failing', inserted: false, message });
}

/** `42.37%` becomes `42.0%`, to limit status writes; undefined: CDI does not know. */
function roundedProgress(progress: string | undefined): string | undefined {
  const percent = Number.parseFloat(progress ?? '');
  return Number.isNaN(percent) ? undefined : `${Math.min(99, Math.floor(percent))}.0%`;
}

/** Timestamps of objects have whole seconds. */
function isNewer(created: string | undefined, startedAt: string | undefined): boolean {
  if (created === undefined || startedAt === undefined) return true;
  return Date.parse(created) >= Math.floor(Date.parse(startedAt) / 1000) * 1000;
}
