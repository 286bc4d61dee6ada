const MAX_PIECE = 255;

/** Encoded length of an option, including code and length bytes. */
export function encodedOptionLength(value: Uint8Array): number {
  return value.length + 2 * Math.max(1, Math.ceil(value.length / MAX_PIECE));
}

/** Writes an option, split if its value is longer than 255 bytes (RFC 3396 §6). Returns the end offset. */
export function writeOption(bytes: Uint8Array, code: number, value: Uint8Array, at: number): number {
  let end = at;
  let from = 0;
  do {
    const length = Math.min(MAX_PIECE, value.length - from);
    end = writePiece(bytes, code, value, from, length, end);
    from += length;
  } while (from < value.length);
  return end;
}

/** Writes `length` bytes of `value` as an unsplit option. Copies byte by byte: most values are too short for a view. */
export function writePiece(
  bytes: Uint8Array,
  code: number,
  value: Uint8Array,
  from: number,
  length: number,
  at: number,
): number {
  bytes[at] = code;
  bytes[at + 1] = length;
  for (let i = 0; i < length; i += 1) bytes[at + 2 + i] = value[from + i] ?? 0;
  return at + 2 + length;
}
