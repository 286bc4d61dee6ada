const NEWLINE = 10;

/**
 * Splits a byte stream into lines without newlines, and omits empty lines. The text after the last newline is a line
 * too. Each byte is read once, however many chunks a line has.
 */
export async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let parts: Uint8Array[] = [];
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      start = end + 1;
      const line = text(parts);
      parts = [];
      if (line !== '') yield line;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  const last = text(parts);
  if (last !== '') yield last;
}

function text(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8');
}
