import type { Display } from '../../machine/index.ts';

/** ms for which a picture is given to others who ask. */
const FRESH = 1_000;

/** Pictures of a screen. All who ask at about the same time get the same one: the platform makes it, and it may be large. */
export class Screenshots {
  readonly #display: Pick<Display, 'screenshot'>;
  readonly #schedule: (work: () => void, delay: number) => () => void;
  #current: Promise<Buffer> | undefined;
  #cancel: (() => void) | undefined;

  constructor(display: Pick<Display, 'screenshot'>, schedule: (work: () => void, delay: number) => () => void) {
    this.#display = display;
    this.#schedule = schedule;
  }

  /** @returns PNG @throws MachineError */
  async take(): Promise<Buffer> {
    return await (this.#current ??= this.#take());
  }

  close(): void {
    this.#cancel?.();
    this.#current = undefined;
  }

  async #take(): Promise<Buffer> {
    try {
      const picture = await this.#display.screenshot();
      this.#cancel = this.#schedule(() => {
        this.#current = undefined;
      }, FRESH);
      return picture;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }
}
