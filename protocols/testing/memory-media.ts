import { MachineError, type MediaDrive, type MediaImage, type Requester, type VirtualMedia } from '../machine/index.ts';

/** {@link VirtualMedia} in memory: one drive, whose imports are done at once. */
export class MemoryMedia implements VirtualMedia {
  drive: MediaDrive = {
    id: 'Cd',
    mediaTypes: ['CD', 'DVD'],
    isInserted: false,
    isWriteProtected: true,
    verifiesCertificate: true,
  };
  /** Thrown by the next call, once. */
  nextError: Error | undefined;
  /** What the guest has after an ejection. */
  kept: string | undefined;
  readonly inserted: { image: MediaImage; requester: Requester }[] = [];

  drives(): readonly MediaDrive[] {
    return [this.drive];
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async insert(drive: string, image: MediaImage, requester: Requester): Promise<void> {
    this.#admit(drive);
    if (this.drive.image !== undefined) throw new MachineError('InvalidState', 'there is an image in the drive');
    this.inserted.push({ image, requester });
    const { password: _secret, ...shown } = { ...image, image: withoutLogin(image.image) };
    const message = 'the image was imported';
    this.drive = {
      ...this.drive,
      ...shown,
      insertion: { id: `i${this.inserted.length}`, state: 'Done', progress: 100, message, startedAt: 0, endedAt: 0 },
    };
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async eject(drive: string): Promise<string | undefined> {
    this.#admit(drive);
    const { id, mediaTypes, verifiesCertificate } = this.drive;
    this.drive = { id, mediaTypes, verifiesCertificate, isInserted: false, isWriteProtected: true };
    return this.kept;
  }

  #admit(drive: string): void {
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
    if (drive !== this.drive.id) throw new MachineError('NotSupported', `there is no drive ${drive}`);
  }
}

function withoutLogin(image: string): string {
  return image.replace(/^(\w+:\/\/)[^/?#]*@/, '$1');
}
