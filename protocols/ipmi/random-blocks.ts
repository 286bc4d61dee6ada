/** Bytes per block. Each packet needs 16, and the cost of a draw hardly depends on its size. Each BMC that had a client keeps a block. */
const BLOCK = 1_024;

const NONE: Buffer = Buffer.alloc(0);

/**
 * Draws random bytes in blocks and returns each byte once. A draw per packet would cost more than its encryption and signature.
 *
 * @param random cryptographically secure bytes, in a buffer of their own
 */
export function randomBlocks(random: (size: number) => Buffer): (size: number) => Buffer {
  let block = NONE;
  let used = 0;
  return (size) => {
    if (size > BLOCK) return random(size);
    if (used + size > block.length) {
      block = random(BLOCK);
      used = 0;
    }
    used += size;
    return block.subarray(used - size, used);
  };
}
