import type { Ipv4, Ipv4Range } from '../../api/index.ts';

const FULL = 0xffffffff;

/**
 * The taken addresses of a range: one bit per address, and higher levels of bits for full words of 32, up to a single
 * word. So a search takes as many steps as there are levels (five for a /8), however full the range is, and a /8 needs
 * 2 MiB.
 *
 * Free addresses are handed out in ascending order, wrapping around at the end (next fit): a released address is reused
 * last, which gives its former client the most time to drop it.
 */
export class AddressMap {
  readonly #range: Ipv4Range;
  /** The bits of addresses first; each level has one bit per word of the level below. */
  readonly #levels: Uint32Array[] = [];
  #cursor = 0;

  constructor(range: Ipv4Range) {
    this.#range = range;
    let bits = range.last - range.first + 1;
    do {
      const words = Math.ceil(bits / 32);
      const level = new Uint32Array(words);
      // Bits beyond the end are set, so that no search returns them.
      if (bits % 32 !== 0) level[words - 1] = (FULL << (bits % 32)) >>> 0;
      this.#levels.push(level);
      bits = words;
    } while (bits > 1);
  }

  isTaken(address: Ipv4): boolean {
    const bit = address - this.#range.first;
    return bit < 0 || address > this.#range.last || (this.#word(0, bit >>> 5) & (1 << (bit & 31))) !== 0;
  }

  /** @returns whether it was free; false for an address outside the range */
  take(address: Ipv4): boolean {
    if (this.isTaken(address)) return false;
    this.#set(address - this.#range.first);
    return true;
  }

  /** Takes all addresses that lie in both ranges. */
  takeAll({ first, last }: Ipv4Range): void {
    const from = Math.max(first, this.#range.first) - this.#range.first;
    const to = Math.min(last, this.#range.last) - this.#range.first;
    let bit = from;
    while (bit <= to) {
      if (bit % 32 === 0 && bit + 31 <= to) {
        this.#fill(bit / 32);
        bit += 32;
      } else {
        this.#set(bit);
        bit += 1;
      }
    }
  }

  free(address: Ipv4): void {
    if (address < this.#range.first || address > this.#range.last) return;
    let bit = address - this.#range.first;
    for (const level of this.#levels) {
      const word = bit >>> 5;
      const before = level[word] ?? 0;
      level[word] = (before & ~(1 << (bit & 31))) >>> 0;
      if (before !== FULL) return;
      bit = word;
    }
  }

  /** Takes the next free address after the last one handed out; undefined if all are taken. */
  takeNext(): Ipv4 | undefined {
    const bit = this.#nextFree(this.#cursor) ?? this.#nextFree(0);
    if (bit === undefined) return undefined;
    this.#set(bit);
    this.#moveCursor(bit);
    return this.#range.first + bit;
  }

  /** Continues after `address`. */
  continueAfter(address: Ipv4): void {
    if (address >= this.#range.first && address <= this.#range.last) this.#moveCursor(address - this.#range.first);
  }

  /** The last address handed out, or set by continueAfter; undefined: none yet. */
  get last(): Ipv4 | undefined {
    return this.#cursor === 0 ? undefined : this.#range.first + this.#cursor - 1;
  }

  /** Memory use in bytes. */
  get size(): number {
    return this.#levels.reduce((bytes, level) => bytes + level.byteLength, 0);
  }

  #moveCursor(bit: number): void {
    this.#cursor = bit + 1;
  }

  #set(bit: number): void {
    for (const level of this.#levels) {
      const word = bit >>> 5;
      const after = ((level[word] ?? 0) | (1 << (bit & 31))) >>> 0;
      level[word] = after;
      if (after !== FULL) return;
      bit = word;
    }
  }

  #fill(word: number): void {
    const [addresses] = this.#levels;
    if (addresses === undefined || addresses[word] === FULL) return;
    addresses[word] = FULL;
    let bit = word;
    for (const level of this.#levels.slice(1)) {
      const above = bit >>> 5;
      const after = ((level[above] ?? 0) | (1 << (bit & 31))) >>> 0;
      level[above] = after;
      if (after !== FULL) return;
      bit = above;
    }
  }

  /** The first free bit from `start` on: searches up to a level with a free word, then down again. */
  #nextFree(start: number): number | undefined {
    if (start > this.#range.last - this.#range.first) return undefined;
    let at = start;
    for (let height = 0; height < this.#levels.length; height += 1) {
      const word = at >>> 5;
      const free = ~this.#word(height, word) & (FULL << (at & 31));
      if (free !== 0) return this.#descend(height, word * 32 + lowestBit(free));
      at = word + 1;
      if (at >= (this.#levels[height]?.length ?? 0)) return undefined;
    }
    return undefined;
  }

  #descend(height: number, bit: number): number {
    let at = bit;
    for (let level = height - 1; level >= 0; level -= 1) at = at * 32 + lowestBit(~this.#word(level, at));
    return at;
  }

  #word(level: number, word: number): number {
    return this.#levels[level]?.[word] ?? FULL;
  }
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
