/** Type code in bits 7:6: 8-bit ASCII and Latin-1. */
const TEXT = 0xc0;
const MAX_LENGTH = 0x3f;

/**
 * A type/length byte and the text behind it, IPMI 2.0 §43.15 and FRU Information Storage Definition §13. Letters lose their accents
 * and what ASCII lacks becomes `?`, since clients print Latin-1's bytes as they are. A text of one character gets a space: C1h in the
 * place of its length ends a FRU area.
 *
 * @param maxLength bytes, at most 63; longer texts are cut
 */
export function encodeText(text: string, maxLength = MAX_LENGTH): Buffer {
  const letters = text.normalize('NFKD').replaceAll(/\p{Mark}/gu, '');
  const plain = letters.replaceAll(/[^ -~]/gu, '?');
  const bytes = Buffer.from(plain.length === 1 ? `${plain} ` : plain, 'latin1').subarray(0, maxLength);
  return Buffer.concat([Buffer.of(TEXT | bytes.length), bytes]);
}
