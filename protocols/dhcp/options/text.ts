const UTF8 = new TextEncoder();
const FROM_UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text, as of options 12, 15, 60, 66, 67, 114 and 252 (RFC 2132 §2: not ended by NUL). */
export function encodeText(text: string): Uint8Array {
  return UTF8.encode(text);
}

/** Clients that end text by NULs are understood; bytes that are no UTF-8 become U+FFFD. */
export function decodeText(value: Uint8Array): string {
  let length = value.length;
  while (length > 0 && value[length - 1] === 0) length -= 1;
  return FROM_UTF8.decode(value.subarray(0, length));
}
