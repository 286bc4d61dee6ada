/** Callbacks of a serial line. They return at once and do not throw. */
export interface SerialListener {
  /** Bytes that the machine wrote. The listener owns the buffer. */
  received(data: Buffer): void;
  /** `write` returned false before; there is room again. */
  drained(): void;
  /**
   * The line is lost. No further calls follow.
   * - `TakenOver`: another client has opened it.
   * - `Off`: the machine has no power.
   * - `Unavailable`: the platform does not answer.
   */
  closed(reason: SerialClosure): void;
}

export type SerialClosure = 'TakenOver' | 'Off' | 'Unavailable';

/** An open serial line of a machine. */
export interface SerialLine {
  /** @returns false if the buffer is full; the data is kept, and `drained` is called when there is room */
  write(data: Buffer): boolean;
  /** Pauses or resumes the machine's output. If the output cannot be paused, the oldest bytes are lost. */
  pause(): void;
  resume(): void;
  /** Closes the line; the listener is not called any more. */
  close(): void;
}

/**
 * The serial console of a machine. It has one line; opening it closes the line of the previous client, also of a client outside
 * this process.
 */
export interface SerialConsole {
  /** Whether a client within this process has the line, which `open` would take. */
  readonly isOpen: boolean;
  /**
   * Opens the line and keeps it open through reboots, live migrations and power cycles of the machine. While the line is reopened,
   * the machine's output is limited to what the platform buffers.
   *
   * @throws MachineError `InvalidState` if the machine is off and the line cannot wait for power, `NotSupported` without a serial
   *   port, `Unavailable`, `Forbidden`
   */
  open(listener: SerialListener): Promise<SerialLine>;
}
