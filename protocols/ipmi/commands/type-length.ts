/** Type code in bits 7:6: 8-bit ASCII and Latin-1. */
const TEXT = 0xc0;
const MAX_LENGTH = 0x3f;

/**
 * A type/length byte and the text, IPMI 2.0 §43.15 and FRU Information Storage Definition §13. Accents are removed and other non-ASCII
 * characters become `?`, since clients print Latin-1 bytes unconverted. A one-character text gets a space: the type/length byte C1h
 * would end a FRU area.
 *
 * @param maxLength bytes, at most 63; longer texts are truncated
 */
export function encodeText(text: string, maxLength = MAX_LENGTH): Buffer {
  const letters = text.normalize('NFKD').replaceAll(/\p{Mark}/gu, '');
  const plain = letters.replaceAll(/[^ -~]/gu, '?');
  const bytes = Buffer.from(plain.length === 1 ? `${plain} ` : plain, 'latin1').subarray(0, maxLength);
  return Buffer.concat([Buffer.of(TEXT | bytes.length), bytes]);
}
