import {
  DATA_VOLUMES,
  mediaPlaceIn,
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
import { admitEmpty, DRIVE, entryOf } from './media-drive.ts';
import { roomFor } from './media-volume.ts';

/** Longest text of the status that keeps what the owner had in the drive. */
const MAX_ORIGINAL = 16_384;

export interface Insertion {
  /** Names it, and no other of this BMC. */
  id: string;
  order: ImageOrder;
  /** Bytes. */
  size: number;
  /** Whether the guest is to have it. */
  attach: boolean;
}

/**
 * What the status is to say of an insertion before anything is done for it.
 *
 * @param bmc as it was read
 * @throws MachineError where nothing can be inserted now, or this image never
 */
export async function beginInsertion(
  { id, order, size, attach }: Insertion,
  bmc: VirtualMachineBMC,
  { client, machine, clock }: { client: KubeClient; machine: ObjectRef; clock: Clock },
): Promise<MediaStatus> {
  const { vm } = await readMachine(client, machine);
  assertThere(bmc, vm);
  const before = entryOf(bmc);
  admitEmpty(before);
  if (before?.phase === 'Ejecting') throw new MachineError('Busy', 'the image before it is still being taken out');
  const volume = await freeVolume(client, bmc, before?.volume);
  const place = mediaPlaceIn(vm, volume, await hotplugsMedia(client));
  const saved = attach ? saveMediaPlace(place) : { detached: true };
  if ((saved.originalVolume?.length ?? 0) > MAX_ORIGINAL) {
    throw new MachineError('NotSupported', `what is in the drive ${place.drive} is too large to be kept`);
  }
  return {
    slot: DRIVE,
    image: order.url.href,
    inserted: false,
    phase: 'Preparing',
    message: 'a volume is being made for the image',
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
 * A name for a DataVolume that no volume has, else the first: what has it is on its way out. Rather not the last one's: a guest may
 * have that still.
 *
 * @throws MachineError `InvalidState` where somebody else's is in the way
 */
async function freeVolume(client: KubeClient, bmc: VirtualMachineBMC, last: string | undefined): Promise<string> {
  const { namespace = '' } = bmc.metadata;
  const [first, second] = mediaVolumeNames(bmc.metadata.name);
  const names = last === first ? ([second, first] as const) : ([first, second] as const);
  for (const name of names) {
    const found = await client.find(DATA_VOLUMES, { namespace, name });
    if (found === undefined) return name;
    if (isOwnedBy(found, bmc)) continue;
    const why = `DataVolume ${name} is not this BMC's: rename or delete it, so that the BMC can make its own`;
    throw new MachineError('InvalidState', why);
  }
  return names[0];
}
