import { COMPLETION, CompletionError } from '../../message/completion-code.ts';

/** Bytes of a block; the first three of block 0 are the IANA number of the mailbox's recipient. */
const BLOCK_LENGTH = 16;
/** IPMI 2.0 requires at least 5. */
const BLOCK_COUNT = 16;

/** Boot option parameter 7, boot initiator mailbox; its contents are not used here. */
export class InitiatorMailbox {
  readonly #blocks = Buffer.alloc(BLOCK_COUNT * BLOCK_LENGTH);

  /** @throws CompletionError 0xC9 for a block that does not exist */
  read(block: number): Buffer {
    return Buffer.from(this.#block(block));
  }

  /** Shorter data leaves the rest of the block unchanged. @throws CompletionError 0xC9, 0xC7 */
  write(block: number, data: Buffer): void {
    if (data.length > BLOCK_LENGTH) throw new CompletionError(COMPLETION.invalidLength, 'longer than a block');
    data.copy(this.#block(block));
  }

  clear(): void {
    this.#blocks.fill(0);
  }

  #block(block: number): Buffer {
    if (block >= BLOCK_COUNT) throw new CompletionError(COMPLETION.outOfRange, `mailbox block ${block}`);
    return this.#blocks.subarray(block * BLOCK_LENGTH, (block + 1) * BLOCK_LENGTH);
  }
}
