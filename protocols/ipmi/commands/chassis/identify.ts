/** State of the chassis identify light, IPMI 2.0 §28.5. A VM has no light; Get Chassis Status reports the state. */
export class Identify {
  /** Time in ms at which it turns off. */
  #until = -Infinity;

  /** @param duration ms; Infinity: no time limit, 0: off */
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
