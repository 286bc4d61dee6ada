import { decodeText, encodeText } from './text.ts';

/** Option 77 of RFC 3004: each class is preceded by its length. */
export function encodeUserClasses(classes: readonly string[]): Uint8Array {
  return Buffer.concat(classes.map(encodeText).flatMap((text) => [Uint8Array.of(text.length), text]));
}

/** The classes; if the lengths do not fit, the whole value as one class, as iPXE and others send it. */
export function decodeUserClasses(value: Uint8Array): string[] {
  const classes: string[] = [];
  for (let at = 0; at < value.length;) {
    const length = value[at] ?? 0;
    if (length === 0 || at + 1 + length > value.length) return [decodeText(value)];
    classes.push(decodeText(value.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return classes;
}
