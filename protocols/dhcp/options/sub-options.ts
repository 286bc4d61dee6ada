import type { EncodedOption } from '../codec/message.ts';

/** Sub-options of options 43 (RFC 2132 §8.4) and 82 (RFC 3046 §2): code, length, value. */
export function encodeSubOptions(options: readonly EncodedOption[]): Uint8Array {
  return Buffer.concat(options.flatMap(({ code, value }) => [Uint8Array.of(code, value.length), value]));
}

/** Undefined if truncated. `hasEnd` accepts the end (255) and pads (0) of option 43. */
export function decodeSubOptions(value: Uint8Array, hasEnd = false): EncodedOption[] | undefined {
  const options: EncodedOption[] = [];
  for (let at = 0; at < value.length;) {
    const code = value[at] ?? 0;
    if (hasEnd && code === 255) return options;
    if (hasEnd && code === 0) {
      at += 1;
      continue;
    }
    const length = value[at + 1];
    if (length === undefined || at + 2 + length > value.length) return undefined;
    options.push({ code, value: value.subarray(at + 2, at + 2 + length) });
    at += 2 + length;
  }
  return options;
}
