import { COMPLETION, CompletionError } from '../../message/completion-code.ts';

/** Bytes that one message carries, DCMI 1.5 §6.4. */
export const MAX_PART = 16;

/**
 * A part of a text, as DCMI's commands hand it out: the length of the whole, then the part. It is empty behind the end.
 *
 * @param request offset, count
 * @throws CompletionError 0xC9 where more than one message carries is asked for
 */
export function readText(text: Buffer, request: Buffer): Buffer {
  const offset = request.readUInt8(0);
  const count = request.readUInt8(1);
  if (count > MAX_PART) throw new CompletionError(COMPLETION.outOfRange, `${count} bytes at once`);
  return Buffer.concat([Buffer.of(text.length), text.subarray(offset, offset + count)]);
}

/**
 * The text with a part written into it. It ends with the part: clients write from the start to the end.
 *
 * @param request offset, count, bytes
 * @throws CompletionError 0xC7, 0xC9
 */
export function writeText(text: Buffer, request: Buffer, maxLength: number): Buffer {
  const offset = request.readUInt8(0);
  const part = request.subarray(2);
  if (request.readUInt8(1) !== part.length) throw new CompletionError(COMPLETION.invalidLength, 'count of bytes');
  if (offset > text.length || offset + part.length > maxLength) {
    throw new CompletionError(COMPLETION.outOfRange, `${part.length} bytes at ${offset}`);
  }
  return Buffer.concat([text.subarray(0, offset), part]);
}
