import { COMPLETION, CompletionError } from '../../message/completion-code.ts';

/** Maximum text bytes per message, DCMI 1.5 §6.4. */
export const MAX_PART = 16;

/**
 * A part of a text in DCMI responses: the total length, then the part, which is empty after the end.
 *
 * @param request offset, count
 * @throws CompletionError 0xC9 for more bytes than one message allows
 */
export function readText(text: Buffer, request: Buffer): Buffer {
  const offset = request.readUInt8(0);
  const count = request.readUInt8(1);
  if (count > MAX_PART) throw new CompletionError(COMPLETION.outOfRange, `${count} bytes at once`);
  return Buffer.concat([Buffer.of(text.length), text.subarray(offset, offset + count)]);
}

/**
 * The text with a part written into it. The text ends after the part: clients write from start to end.
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
