/** A hash of the SHA family: a state of 32-bit words and a compression function for blocks of 64 bytes. */
export interface BlockHash {
  /** Name in node:crypto. */
  readonly name: 'sha1' | 'sha256';
  /** Initial state. The final state in big-endian is the hash. */
  readonly initial: readonly number[];
  /** Number of words for {@link compress}: 16 of the block, and space for the derived words. */
  readonly scheduleLength: number;
  /**
   * Processes one block.
   *
   * @param state changed in place
   * @param words the block's big-endian words in the first 16 places; the rest is overwritten
   */
  compress(state: Int32Array, words: Int32Array): void;
}

/** A word of an array; the index must be in range. */
export function wordAt(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}
