import { COMPLETION, CompletionError } from '../message/completion-code.ts';

/** As a count: all that there is from the offset on. */
export const WHOLE = 0xff;

/**
 * The bytes of a record that a client asked for; it sees by the completion code that there are not so many.
 *
 * @throws CompletionError 0xC9 for an offset behind the end, 0xCA for more bytes than there are
 */
export function readPart(record: Buffer, offset: number, count: number): Buffer {
  if (offset >= record.length) throw new CompletionError(COMPLETION.outOfRange, `offset ${offset} of ${record.length}`);
  if (count === WHOLE) return record.subarray(offset);
  if (offset + count > record.length) {
    throw new CompletionError(COMPLETION.tooManyBytes, `${count} bytes from ${offset} of ${record.length}`);
  }
  return record.subarray(offset, offset + count);
}
