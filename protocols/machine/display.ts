/** Callbacks of a display line. They return at once and do not throw. */
export interface DisplayListener {
  /** The line is connected: a new RFB stream begins. */
  opened(): void;
  /** Bytes of the machine's RFB server. */
  received(data: Buffer): void;
  /** The line is not connected, and why. Repeated only if the reason changes. The line connects again by itself, after `Taken` by `take`. */
  interrupted(gap: DisplayGap): void;
}

/**
 * Why a screen is not connected.
 * - `Off`: the machine is off.
 * - `Lost`: the connection was lost and is being opened again.
 * - `Taken`: another client, outside this process, has opened the machine's screen.
 * - `Refused`: the platform refuses the connection, which is tried again.
 */
export interface DisplayGap {
  readonly kind: 'Off' | 'Lost' | 'Taken' | 'Refused';
  /** A sentence for the user, without a full stop. */
  readonly message: string;
}

/** An open line to a machine's screen. */
export interface DisplayLine {
  /** Sends bytes to the machine's RFB server; without a connection they are lost. */
  write(data: Buffer): void;
  /** Bytes not yet sent. */
  readonly buffered: number;
  /** Pauses or resumes what the machine's RFB server sends. */
  pause(): void;
  resume(): void;
  /** Takes the screen back from another client; no effect unless the gap is `Taken`. */
  take(): void;
  /** Ends the connection, because its bytes are not understood; it is opened again later. */
  restart(): void;
  /** Closes the line; the listener is not called any more. */
  close(): void;
}

/**
 * The screen, keyboard and pointer of a machine as an RFB server (RFC 6143) with security None. It has one line; opening it closes the
 * line of the previous client, also of a client outside this process.
 */
export interface Display {
  /** False: the machine has no graphics device. Undefined: not known. Never blocks. */
  isPresent(): boolean | undefined;
  /**
   * Opens the line and keeps it open through reboots, live migrations and power cycles of the machine: each connection is a new RFB
   * stream, which begins with `opened`.
   *
   * @throws MachineError `NotSupported` without a graphics device, `Unavailable`
   */
  open(listener: DisplayListener): Promise<DisplayLine>;
  /**
   * The present picture as a PNG of at most 16 MiB.
   *
   * @throws MachineError `InvalidState` if the machine is off, `NotSupported` without a graphics device, `Busy`, `Unavailable`,
   *   `Timeout`, `Forbidden`
   */
  screenshot(): Promise<Buffer>;
}
