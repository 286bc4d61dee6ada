import { MachineError, type SerialConsole, type SerialLine, type SerialListener } from '../machine/index.ts';

/** A {@link SerialConsole} for tests: `say` writes the machine's output, `typed` holds its input. */
export class MemoryConsole implements SerialConsole {
  /** Thrown once, by the next `open`. */
  nextError: MachineError | undefined;
  /** True: the machine reads no input until `drain`. */
  isStuck = false;
  isPaused = false;
  typed = '';
  #listener: SerialListener | undefined;

  get isOpen(): boolean {
    return this.#listener !== undefined;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async open(listener: SerialListener): Promise<SerialLine> {
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
    this.#listener?.closed('TakenOver');
    this.#listener = listener;
    const isMine = (): boolean => this.#listener === listener;
    return {
      write: (data) => {
        if (isMine()) this.typed += data.toString('latin1');
        return !this.isStuck;
      },
      pause: () => {
        this.isPaused = true;
      },
      resume: () => {
        this.isPaused = false;
      },
      close: () => {
        if (isMine()) this.#listener = undefined;
      },
    };
  }

  say(text: string): void {
    this.#listener?.received(Buffer.from(text, 'latin1'));
  }

  drain(): void {
    this.isStuck = false;
    this.#listener?.drained();
  }

  /** Ends the line from the machine's side. */
  lose(reason: 'TakenOver' | 'Off' | 'Unavailable'): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.closed(reason);
  }
}
