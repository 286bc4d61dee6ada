import {
  DATA_VOLUMES,
  mediaPlaceIn,
  type MediaSlot,
  type MediaStatus,
  mediaVolumeNames,
  saveMediaPlace,
  type VirtualMachineBMC,
} from '../../../../api/index.ts';
import type { Clock, KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { isOwnedBy } from '../../objects/object-version.ts';
import { hotplugsMedia } from '../kubevirt-configuration.ts';
import { assertThere, readMachine } from '../machine-objects.ts';
import type { ImageOrder } from './image-url.ts';
import { admitEmpty, entryOf } from './media-drive.ts';
import { roomFor } from './media-volume.ts';
import { hasStrayImage } from './next-step.ts';

/** Maximum length of the owner's volume in the status. */
const MAX_ORIGINAL = 16_384;

export interface Insertion {
  slot: MediaSlot;
  /** Unique for this BMC. */
  id: string;
  order: ImageOrder;
  /** Bytes. */
  size: number;
  /** Whether the guest gets the image. */
  attach: boolean;
}

/**
 * The status entry of an insertion, to be written before its first step.
 *
 * @param bmc as read from the API server
 * @throws MachineError if nothing can be inserted now, or this image cannot be inserted at all
 */
export async function beginInsertion(
  { slot, id, order, size, attach }: Insertion,
  bmc: VirtualMachineBMC,
  { client, machine, clock }: { client: KubeClient; machine: ObjectRef; clock: Clock },
): Promise<MediaStatus> {
  const { vm } = await readMachine(client, machine);
  assertThere(bmc, vm);
  const { architecture = 'amd64' } = vm.spec.template.spec;
  if (slot === 'Usb' && architecture !== 'amd64')
    throw new MachineError('NotSupported', `KubeVirt has USB disks on amd64 only, not on ${architecture}`);
  const before = entryOf(bmc, slot);
  admitEmpty(before);
  if (before?.phase === 'Ejecting' || hasStrayImage(vm, slot, before))
    throw new MachineError('Busy', 'the previous image is still being ejected');
  const volume = await freeVolume(client, bmc, slot, before?.volume);
  const place = mediaPlaceIn(vm, slot, volume, await hotplugsMedia(client));
  const saved = attach ? saveMediaPlace(place) : { detached: true };
  if ((saved.originalVolume?.length ?? 0) > MAX_ORIGINAL) {
    throw new MachineError('NotSupported', `the volume in the drive ${place.drive} is too large to be saved`);
  }
  return {
    slot,
    image: order.url.href,
    inserted: false,
    phase: 'Preparing',
    message: 'a volume is being created for the image',
    id,
    ...(order.login === undefined ? {} : { userName: order.login.userName }),
    startedAt: new Date(clock.now()).toISOString(),
    size: roomFor(size),
    vmUID: vm.metadata.uid ?? '',
    volume,
    ...saved,
  };
}

/**
 * A free name for a DataVolume. If both names are taken, the first: its volume is being deleted. Prefers the name that was
 * not used last, because a guest may still have that volume.
 *
 * @throws MachineError `InvalidState` if a DataVolume of another owner has the name
 */
async function freeVolume(
  client: KubeClient,
  bmc: VirtualMachineBMC,
  slot: MediaSlot,
  last: string | undefined,
): Promise<string> {
  const { namespace = '' } = bmc.metadata;
  const [first, second] = mediaVolumeNames(bmc.metadata.name, slot);
  const names = last === first ? ([second, first] as const) : ([first, second] as const);
  for (const name of names) {
    const found = await client.find(DATA_VOLUMES, { namespace, name });
    if (found === undefined) return name;
    if (isOwnedBy(found, bmc)) continue;
    const why = `DataVolume ${name} belongs to another owner: rename or delete it, so that the BMC can create its own`;
    throw new MachineError('InvalidState', why);
  }
  return names[0];
}
