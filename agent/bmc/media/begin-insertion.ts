import { mediaPlaceIn, saveMediaPlace, type MediaStatus, type VirtualMachineBMC } from '../../../api/index.ts';
import type { Clock, KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { assertThere } from '../machine/assert-there.ts';
import { readMachine } from '../machine/machine-objects.ts';
import { freeVolume } from './free-volume.ts';
import { hotplugsMedia } from './hotplug-gate.ts';
import type { ImageOrder } from './image-url.ts';
import { admitEmpty, entryOf } from './media-entry.ts';
import { roomFor } from './media-objects.ts';
import { DRIVE } from './media-view.ts';

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
