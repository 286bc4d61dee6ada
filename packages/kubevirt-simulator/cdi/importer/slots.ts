/** Lets a limited number in at a time; the others wait in line. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with what gives the place back; rejects with the signal's reason when it is aborted first. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#line(signal);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  async #line(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(signal.reason as Error);
      };
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.push(turn);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
