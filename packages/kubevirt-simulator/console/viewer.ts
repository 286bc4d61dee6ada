/** Who reads a guest's serial port. Text has one character for each byte. */
export interface Viewer {
  show(text: string): void;
  /** The guest went on after it had been paused. */
  resume(): void;
  /** The port is no longer this viewer's. */
  end(): void;
}
