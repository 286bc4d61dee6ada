/** Bytes per block. Each IPMI packet needs 16, and the cost of a draw hardly depends on its size. */
const BLOCK = 4_096;

const NONE: Buffer = Buffer.alloc(0);

/**
 * Draws random bytes in blocks and returns each byte once. A draw per IPMI packet would cost more than its encryption and signature.
 * The BMCs of a process share a block.
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
