const SIX_OCTETS = /^[0-9a-f]{2}(?:([:-]?)[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/;
const DOTTED = /^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$/;

/**
 * The canonical notation of a MAC address, `52:54:00:12:34:56`. Accepts upper case, and dashes, dots or nothing between the octets.
 * Undefined if it is not a MAC address of six octets.
 */
export function canonicalMac(text: string): string | undefined {
  const lower = text.trim().toLowerCase();
  if (!SIX_OCTETS.test(lower) && !DOTTED.test(lower)) return undefined;
  return lower
    .replace(/[^0-9a-f]/g, '')
    .match(/../g)
    ?.join(':');
}
