const DOT = 46;
const ZERO = 48;

/** The number of an address text, most significant octet first; not validated. */
export function addressOf(text: string): number {
  let address = 0;
  let octet = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === DOT) {
      address = address * 256 + octet;
      octet = 0;
    } else octet = octet * 10 + character - ZERO;
  }
  return address * 256 + octet;
}

/** `10.0.0.1`. */
export function formatAddress(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** Maximum number of cached addresses; senders choose them. */
const LIMIT = 4096;

/** {@link formatAddress} with a cache: most answers go to the same address as the one before. */
export class AddressTexts {
  readonly #texts = new Map<number, string>();

  of(address: number): string {
    const known = this.#texts.get(address);
    if (known !== undefined) return known;
    if (this.#texts.size >= LIMIT) this.#texts.clear();
    const text = formatAddress(address);
    this.#texts.set(address, text);
    return text;
  }
}
