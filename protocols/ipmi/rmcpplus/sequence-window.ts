/** How far ahead of and behind the highest number a packet may be, IPMI 2.0 §6.12.13. */
const AHEAD = 15;
const BEHIND = 16;
const ALL_SEEN = 2 ** (BEHIND + 1) - 1;

/**
 * Sequence numbers of one direction of a session: takes each number once, tolerates reordering within a window, and
 * drops replays. Ask with `accepts`, and `commit` only once the packet has proved genuine; else anybody could move the
 * window away from the client.
 */
export class SequenceWindow {
  #highest: number;
  /** Bit n: number `highest − n` was taken. */
  #seen = ALL_SEEN;

  /** @param start this number and those before it count as taken */
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

  /** From the highest number to this one, signed, across the wrap at 2³². */
  #distance(sequence: number): number {
    return (sequence - this.#highest) | 0;
  }
}
