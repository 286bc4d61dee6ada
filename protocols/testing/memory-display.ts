import type { Display, DisplayGap, DisplayLine, DisplayListener, MachineError } from '../machine/index.ts';

/** The signature and the header of an image of 1 x 1 pixels. */
const PICTURE = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001080000000000', 'hex');

/** A {@link Display} for tests: `say` sends bytes of its RFB server, `sent` holds what it got. */
export class MemoryDisplay implements Display {
  present: boolean | undefined = true;
  /** Thrown once, by the next call. */
  nextError: MachineError | undefined;
  /** Whether a line is connected as soon as it is open. */
  connects = true;
  buffered = 0;
  isPaused = false;
  /** What the line was asked, in order. */
  readonly asked: ('take' | 'restart' | 'close')[] = [];
  /** Number of lines that were opened. */
  opened = 0;
  sent = Buffer.alloc(0);
  #listener: DisplayListener | undefined;

  get isOpen(): boolean {
    return this.#listener !== undefined;
  }

  isPresent(): boolean | undefined {
    return this.present;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async open(listener: DisplayListener): Promise<DisplayLine> {
    this.#admit();
    this.opened += 1;
    this.#listener = listener;
    this.isPaused = false;
    const isMine = (): boolean => this.#listener === listener;
    queueMicrotask(() => {
      if (this.connects && isMine()) this.connect();
    });
    const buffered = (): number => this.buffered;
    return {
      write: (data) => {
        if (isMine()) this.receive(data);
      },
      get buffered() {
        return buffered();
      },
      pause: () => {
        this.isPaused = true;
      },
      resume: () => {
        this.isPaused = false;
      },
      take: () => this.asked.push('take'),
      restart: () => this.asked.push('restart'),
      close: () => {
        if (isMine()) this.#listener = undefined;
        this.asked.push('close');
      },
    };
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async screenshot(): Promise<Buffer> {
    this.#admit();
    return PICTURE;
  }

  /** A new RFB stream begins. */
  connect(): void {
    this.sent = Buffer.alloc(0);
    this.#listener?.opened();
  }

  say(data: Buffer): void {
    this.#listener?.received(data);
  }

  /** The client has sent bytes. */
  protected receive(data: Buffer): void {
    this.sent = Buffer.concat([this.sent, data]);
  }

  interrupt(gap: DisplayGap): void {
    this.#listener?.interrupted(gap);
  }

  #admit(): void {
    const error = this.nextError;
    this.nextError = undefined;
    if (error !== undefined) throw error;
  }
}
