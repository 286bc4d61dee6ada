import type { Requester } from './machine.ts';

/** A virtual media drive. */
export interface MediaDrive {
  /** Stable for the life of the machine: `Cd`, `Usb`. */
  readonly id: string;
  readonly mediaTypes: readonly ('CD' | 'DVD' | 'USBStick')[];
  /** URL of the image, without credentials, and with a masked query; undefined: no client has inserted an image. */
  readonly image?: string;
  /** The same with the query, which may hold a key: to be compared, not shown. Undefined: not known now. */
  readonly source?: string;
  /** The guest can read the image now, or after its next boot while the insertion is `Waiting`. */
  readonly isInserted: boolean;
  readonly isWriteProtected: boolean;
  /** User name for the image server, if it requires one. */
  readonly userName?: string;
  readonly transferMethod?: 'Stream' | 'Upload';
  /** Whether the image server's certificate is verified. */
  readonly verifiesCertificate: boolean;
  /** The current or last insertion; undefined: none yet. */
  readonly insertion?: MediaInsertion;
}

/** Progress of an insertion. Persistent across restarts of the process. */
export interface MediaInsertion {
  /** Unique among the insertions of this machine. */
  readonly id: string;
  /** `Waiting`: the image is imported; the running guest gets it when it is powered off and on. */
  readonly state: 'Importing' | 'Waiting' | 'Done' | 'Failed';
  /** Percent, 0 to 100; undefined: not known. */
  readonly progress?: number;
  /** A sentence for the user. */
  readonly message: string;
  /** What the user can do, after a failure. */
  readonly resolution?: string;
  /** ms since 1970 */
  readonly startedAt: number;
  readonly endedAt?: number;
}

/** An image to insert. */
export interface MediaImage {
  /** `http://` or `https://`, without credentials. */
  readonly image: string;
  readonly userName?: string;
  readonly password?: string;
  readonly isWriteProtected: boolean;
  /** False: the image is imported, but the machine does not see it. */
  readonly isInserted: boolean;
}

/** The virtual media drives of a machine and their contents. */
export interface VirtualMedia {
  /** In constant order. Never blocks. */
  drives(): readonly MediaDrive[];
  /**
   * Inserts an image. Resolves when the request is stored persistently; {@link drives} shows the progress.
   *
   * @throws MachineError `InvalidState` if the drive is not empty, `NotSupported` for an image or a host that is not allowed,
   *   `Busy`, `Unavailable`, `Forbidden`
   */
  insert(drive: string, image: MediaImage, requester: Requester): Promise<void>;
  /**
   * Ejects the image and cancels a running insertion; no effect if the drive is empty. The owner's own medium is restored.
   *
   * @returns a sentence about what the guest keeps until a power cycle; undefined: the guest no longer has the image
   * @throws MachineError
   */
  eject(drive: string, requester: Requester): Promise<string | undefined>;
}
