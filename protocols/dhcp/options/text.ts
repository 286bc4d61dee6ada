const UTF8 = new TextEncoder();
const FROM_UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text for options 12, 15, 60, 66, 67, 114 and 252 (RFC 2132 §2: no terminating NUL). */
export function encodeText(text: string): Uint8Array {
  return UTF8.encode(text);
}

/** Trailing NULs of some clients are removed; invalid UTF-8 becomes U+FFFD. */
export function decodeText(value: Uint8Array): string {
  let length = value.length;
  while (length > 0 && value[length - 1] === 0) length -= 1;
  return FROM_UTF8.decode(value.subarray(0, length));
}
