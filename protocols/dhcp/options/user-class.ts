import { decodeText, encodeText } from './text.ts';

/** Option 77 as RFC 3004 has it: each class with its length before it. */
export function encodeUserClasses(classes: readonly string[]): Uint8Array {
  return Buffer.concat(classes.map(encodeText).flatMap((text) => [Uint8Array.of(text.length), text]));
}

/** The classes; where the lengths do not add up, the whole as one: iPXE and others send the bare text. */
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
