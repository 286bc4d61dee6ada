/** Code points of all warnings of an answer, and of each where they are too long together. */
const MAX_TOTAL = 4 * 1024;
const MAX_EACH = 256;

/** Warning headers of an answer: each sentence once, all of them cut where they are too long together. */
export function warningHeaders(sentences: readonly string[]): string[] {
  const texts = [...new Set(sentences)].filter((text) => text !== '');
  const total = texts.reduce((sum, text) => sum + Array.from(text).length, 0);
  if (total <= MAX_TOTAL) return texts.map(header);
  const headers: string[] = [];
  let written = 0;
  for (const text of texts) {
    const start = Array.from(text).slice(0, MAX_EACH);
    if (written >= MAX_TOTAL) break;
    written += start.length;
    headers.push(header(start.join('')));
  }
  return headers;
}

/** RFC 7234 §5.5: an agent that is not told, and the text quoted. Control characters have no place in a header. */
function header(text: string): string {
  const clean = Array.from(text)
    .filter((character) => character >= ' ' && character !== '\u007f')
    .join('');
  return `299 - "${clean.replace(/["\\]/g, '\\$&')}"`;
}
