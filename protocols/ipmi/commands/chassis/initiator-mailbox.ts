import { COMPLETION, CompletionError } from '../../message/completion-code.ts';

/** Bytes of a block; the first three of block 0 are the IANA number of whoever the mailbox is for. */
const BLOCK_LENGTH = 16;
/** IPMI 2.0 asks for 5 at least. */
const BLOCK_COUNT = 16;

/** Boot option parameter 7: what the boot initiator leaves for whatever boots, in blocks that nobody here looks into. */
export class InitiatorMailbox {
  readonly #blocks = Buffer.alloc(BLOCK_COUNT * BLOCK_LENGTH);

  /** @throws CompletionError 0xC9 for a block that does not exist */
  read(block: number): Buffer {
    return Buffer.from(this.#block(block));
  }

  /** What is shorter than a block leaves the rest of it as it is. @throws CompletionError 0xC9, 0xC7 */
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
