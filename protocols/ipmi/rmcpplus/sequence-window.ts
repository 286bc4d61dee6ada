/** Maximum distance of a packet from the highest number, IPMI 2.0 §6.12.13. */
const AHEAD = 15;
const BEHIND = 16;
const ALL_SEEN = 2 ** (BEHIND + 1) - 1;

/**
 * Sequence numbers of one direction of a session: accepts each number once within a window, and drops replays. Check with `accepts`,
 * and `commit` only after authentication: otherwise a forged packet could move the window.
 */
export class SequenceWindow {
  #highest: number;
  /** Bit n: number `highest − n` was accepted. */
  #seen = ALL_SEEN;

  /** @param start this and lower numbers count as used */
  constructor(start = 0) {
    this.#highest = start;
  }

  accepts(sequence: number): boolean {
    const distance = this.#distance(sequence);
    if (sequence === 0 || distance > AHEAD || distance < -BEHIND) return false;
    return distance > 0 || (this.#seen & (1 << -distance)) === 0;
  }

  commit(sequence: number): void {
    const distance = this.#distance(sequence);
    if (distance > 0) {
      this.#highest = sequence;
      this.#seen = ((this.#seen << distance) | 1) & ALL_SEEN;
    } else {
      this.#seen |= 1 << -distance;
    }
  }

  /** Signed distance from the highest number, across the wrap at 2³². */
  #distance(sequence: number): number {
    return (sequence - this.#highest) | 0;
  }
}
