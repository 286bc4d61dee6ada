/** A hash of the SHA family: a state of 32-bit words, and what a block of 64 bytes does to it. */
export interface BlockHash {
  /** Name in node:crypto. */
  readonly name: 'sha1' | 'sha256';
  /** State of a hash that has seen nothing. The state, written out big-endian, is also what the hash is. */
  readonly initial: readonly number[];
  /** Words that {@link compress} takes: the 16 of the block, and room for those that it derives from them. */
  readonly scheduleLength: number;
  /**
   * Takes in one block.
   *
   * @param state changed in place
   * @param words the block's big-endian words in the first 16 places; overwritten behind them
   */
  compress(state: Int32Array, words: Int32Array): void;
}

/** One of an array's words; the index is within it. */
export function wordAt(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}
