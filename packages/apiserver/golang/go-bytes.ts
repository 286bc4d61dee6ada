/** Base64 as Go decodes and writes it again. Throws Error in the words of Go's base64 package. */
export function canonicalBytes(text: string): string {
  const clean = text.replace(/[\r\n]/g, '');
  const wrong = firstWrong(clean);
  if (wrong !== undefined) throw new Error(`illegal base64 data at input byte ${wrong}`);
  return Buffer.from(clean, 'base64').toString('base64');
}

/** Where Go would stop: at the character that is none, or at the group of four that is not whole. */
function firstWrong(text: string): number | undefined {
  const bad = text.search(/[^A-Za-z0-9+/]/);
  const end = bad < 0 ? text.length : bad;
  if (bad >= 0 && text[bad] !== '=') return bad;
  const left = end % 4;
  if (bad < 0) return left === 0 ? undefined : end - left;
  if (left < 2) return bad;
  const padding = '='.repeat(4 - left);
  if (!text.startsWith(padding, bad)) return bad + 1 < text.length ? bad + 1 : text.length;
  return bad + padding.length === text.length ? undefined : bad + padding.length;
}
