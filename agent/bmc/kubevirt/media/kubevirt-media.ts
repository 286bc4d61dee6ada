import { MEDIA_SLOTS } from '../../../../api/index.ts';
import {
  MachineError,
  type MediaDrive,
  type MediaImage,
  type Requester,
  type VirtualMedia,
} from '../../../../protocols/machine/index.ts';
import { KubeVirtDrive, type KubeVirtDriveOptions } from './kubevirt-drive.ts';

/** The drives of a machine. They share nothing but the VM and the BMC's status, so that one cannot block the other. */
export class KubeVirtMedia implements VirtualMedia {
  readonly slots: readonly KubeVirtDrive[];

  constructor(options: KubeVirtDriveOptions) {
    this.slots = MEDIA_SLOTS.map((slot) => new KubeVirtDrive(slot, options));
  }

  drives(): readonly MediaDrive[] {
    return this.slots.map(({ shown }) => shown);
  }

  async insert(drive: string, image: MediaImage, requester: Requester): Promise<void> {
    await this.#slot(drive).insert(image, requester);
  }

  async eject(drive: string, requester: Requester): Promise<string | undefined> {
    return await this.#slot(drive).eject(requester);
  }

  stop(): void {
    for (const slot of this.slots) slot.stop();
  }

  #slot(drive: string): KubeVirtDrive {
    const slot = this.slots.find(({ id }) => id === drive);
    if (slot === undefined) throw new MachineError('NotSupported', `there is no drive ${drive}`);
    return slot;
  }
}
