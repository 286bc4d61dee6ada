import type { DataVolume, MediaStatus, VirtualMachineBMC } from '../../../api/index.ts';
import type { MachinePair } from '../machine/machine-objects.ts';

/** All that an insertion depends on, as it was read. */
export interface MediaView extends MachinePair {
  bmc: VirtualMachineBMC;
  entry: MediaStatus;
  volume: DataVolume | undefined;
  /** ms since 1970 */
  now: number;
}

/** ID of the one drive, for clients and in the status. */
export const DRIVE = 'Cd';

/** Names, on a DataVolume, the insertion that it was made for. */
export const INSERTION_ANNOTATION = 'bmc.kubevirt.io/insertion';
