/** The chassis identify light, IPMI 2.0 §28.5: a VM has none to look at, so that its state alone is kept, which Get Chassis Status tells. */
export class Identify {
  /** ms at which it goes off. */
  #until = -Infinity;

  /** @param duration ms; Infinity: until it is turned off, 0: off now */
  turnOn(duration: number, now: number): void {
    this.#until = now + duration;
  }

  turnOff(): void {
    this.#until = -Infinity;
  }

  stateAt(now: number): 'Off' | 'Temporary' | 'Indefinite' {
    if (this.#until === Infinity) return 'Indefinite';
    return this.#until > now ? 'Temporary' : 'Off';
  }
}
