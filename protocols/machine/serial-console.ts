/** What a serial line tells whoever holds it. Functions return at once and do not throw. */
export interface SerialListener {
  /** Bytes that the machine wrote. The buffer is the listener's. */
  received(data: Buffer): void;
  /** Room for more after `write` has said that there is none. */
  drained(): void;
  /**
   * The line is lost, and nothing else follows.
   * - `TakenOver`: somebody else has opened it.
   * - `Off`: the machine has no power.
   * - `Unavailable`: what it stands on does not answer.
   */
  closed(reason: SerialClosure): void;
}

export type SerialClosure = 'TakenOver' | 'Off' | 'Unavailable';

/** A machine's serial line, held. */
export interface SerialLine {
  /** @returns whether there is room for more; if not, what was given is kept, and `drained` tells when there is */
  write(data: Buffer): boolean;
  /** Asks the machine's side to hold its output back, or to go on. Output that nobody can hold back is lost, oldest first. */
  pause(): void;
  resume(): void;
  /** Gives it up; nothing is told of it any more. */
  close(): void;
}

/**
 * The serial console of a machine. It has one line, and whoever opens it takes it from whoever has it, be that one of ours or
 * somebody else's.
 */
export interface SerialConsole {
  /**
   * Opens the line, and keeps it open through reboots, live migrations and power cycles of the machine: what the machine writes
   * while it is being opened anew is what its platform kept.
   *
   * @throws MachineError `InvalidState` where the machine has no power and the line cannot wait for it, `NotSupported` where it has
   *   no serial port, `Unavailable`, `Forbidden`
   */
  open(listener: SerialListener): Promise<SerialLine>;
}
