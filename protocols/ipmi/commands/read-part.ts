import { COMPLETION, CompletionError } from '../message/completion-code.ts';

/** Count for everything from the offset on. */
export const WHOLE = 0xff;

/**
 * The requested bytes of a record. The completion codes tell the client that the range is invalid.
 *
 * @throws CompletionError 0xC9 for an offset after the end, 0xCA for too many bytes
 */
export function readPart(record: Buffer, offset: number, count: number): Buffer {
  if (offset >= record.length) throw new CompletionError(COMPLETION.outOfRange, `offset ${offset} of ${record.length}`);
  if (count === WHOLE) return record.subarray(offset);
  if (offset + count > record.length) {
    throw new CompletionError(COMPLETION.tooManyBytes, `${count} bytes from ${offset} of ${record.length}`);
  }
  return record.subarray(offset, offset + count);
}
