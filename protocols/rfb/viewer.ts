/** One viewer of a shared screen: a connection over which it speaks RFB. */
export interface Viewer {
  /** Shown to viewers whom it replaces: `admin from 192.0.2.7`. */
  readonly name: string;
  /** Whether its keys, pointer and clipboard reach the machine; read at each use. A viewer that may not type cannot take the screen. */
  readonly canType: boolean;
  /** Bytes given to `send` that are not yet sent. */
  readonly buffered: number;
  /** Sends bytes. Never throws and calls no method of the screen before it returns. */
  send(data: Buffer): void;
  /** The screen has ended the viewer, and calls it no more. `message`: a sentence for the user, without a full stop. */
  close(reason: ViewerEnd, message: string): void;
}

/**
 * Why a screen ends a viewer.
 * - `Taken`: another viewer has asked for the screen alone; the message has its name.
 * - `PixelFormat`: it asks for a pixel format other than the shared one.
 * - `Protocol`: it does not speak RFB, exceeds a limit, or is silent during the handshake.
 * - `TooSlow`: it does not read what is sent.
 * - `Resized`: the screen has another size now, and it cannot follow (no DesktopSize); it may connect again.
 * - `NotSupported`: the machine has no graphics device.
 * - `Unavailable`: the screen cannot be opened now.
 * - `Closed`: the BMC ends.
 */
export type ViewerEnd =
  | 'Taken'
  | 'PixelFormat'
  | 'Protocol'
  | 'TooSlow'
  | 'Resized'
  | 'NotSupported'
  | 'Unavailable'
  | 'Closed';

/** What the owner of a viewer's connection tells the screen. */
export interface AttachedViewer {
  /** Bytes of the viewer, in any pieces. */
  received(data: Buffer): void;
  /** Some buffered bytes were sent. */
  written(): void;
  /** The connection has ended; no further calls follow, either way. */
  closed(): void;
}
