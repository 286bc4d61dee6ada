const SIX_OCTETS = /^[0-9a-f]{2}(?:([:-]?)[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/;
const DOTTED = /^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$/;

/**
 * The one spelling in which MAC addresses are stored and compared, `52:54:00:12:34:56`, from any that people use: upper
 * case, dashes, dots or nothing between the octets. Undefined for what is no MAC address of six octets.
 */
export function canonicalMac(text: string): string | undefined {
  const lower = text.trim().toLowerCase();
  if (!SIX_OCTETS.test(lower) && !DOTTED.test(lower)) return undefined;
  return lower
    .replace(/[^0-9a-f]/g, '')
    .match(/../g)
    ?.join(':');
}
