import type { Requester } from './requester.ts';

/** A drive for media that clients insert. */
export interface MediaDrive {
  /** Stays the same for the life of the machine: `Cd`. */
  readonly id: string;
  readonly mediaTypes: readonly ('CD' | 'DVD' | 'USBStick')[];
  /** Where the image came from, without credentials; undefined: nothing that a client inserted is in it. */
  readonly image?: string;
  /** The guest can read it, or will from its next boot on. */
  readonly isInserted: boolean;
  readonly isWriteProtected: boolean;
  /** Who asked the image server for it, where it wanted to know. */
  readonly userName?: string;
  readonly transferMethod?: 'Stream' | 'Upload';
  /** Whether the image server's certificate is verified. */
  readonly verifiesCertificate: boolean;
  /** The insertion that is under way or was last; undefined: there has been none. */
  readonly insertion?: MediaInsertion;
}

/** How far an insertion is. It survives the process that began it. */
export interface MediaInsertion {
  /** Names this insertion and no other, of this machine. */
  readonly id: string;
  /** `Waiting`: the image is there, and the machine takes it at its next boot. */
  readonly state: 'Importing' | 'Waiting' | 'Done' | 'Failed';
  /** Percent, 0 to 100; undefined: not known. */
  readonly progress?: number;
  /** A sentence for people. */
  readonly message: string;
  /** ms since 1970 */
  readonly startedAt: number;
  readonly endedAt?: number;
}

/** What a client inserts. */
export interface MediaImage {
  /** `http://` or `https://`, without credentials. */
  readonly image: string;
  readonly userName?: string;
  readonly password?: string;
  readonly isWriteProtected: boolean;
  /** False: the image is there, but the machine does not see it. */
  readonly isInserted: boolean;
}

/** The drives of a machine, and what is in them. */
export interface VirtualMedia {
  /** Always in the same order. Never blocks. */
  drives(): readonly MediaDrive[];
  /**
   * Inserts an image. Resolves when that is stored so that no crash can lose it; how far it is then stands in {@link drives}.
   *
   * @throws MachineError `InvalidState` where something is in the drive already, `NotSupported` for an image or a host that is not
   *   allowed, `Busy`, `Unavailable`, `Forbidden`
   */
  insert(drive: string, image: MediaImage, requester: Requester): Promise<void>;
  /**
   * Takes out what is in the drive, and ends an insertion; nothing where it is empty. What the owner had in it comes back.
   *
   * @returns a sentence on what the guest has until it is powered off and on or power cycled; undefined: the guest has it no more
   * @throws MachineError
   */
  eject(drive: string, requester: Requester): Promise<string | undefined>;
}
