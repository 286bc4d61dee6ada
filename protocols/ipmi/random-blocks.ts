/** Bytes: 16 of it go into each packet, and a draw costs the same for all. */
const BLOCK = 4_096;

/**
 * Draws randomness in blocks and gives it out in pieces, each byte once. A draw of its own for each packet would cost more than
 * to encrypt and to sign it.
 *
 * @param random cryptographically secure bytes, in a buffer of their own
 */
export function randomBlocks(random: (size: number) => Buffer): (size: number) => Buffer {
  let block: Buffer = Buffer.alloc(0);
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
