import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lines } from './lines.ts';

async function linesOf(chunks: Iterable<Uint8Array>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines(asStream(chunks))) all.push(line);
  return all;
}

async function* asStream(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

describe('lines', () => {
  it('splits at newlines, omits empty lines, and returns the rest at the end', async () => {
    expect(await linesOf([Buffer.from('a\n\nb\nc')])).toEqual(['a', 'b', 'c']);
    expect(await linesOf([])).toEqual([]);
  });

  it('returns the same lines for any chunking, also within a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).filter((line) => !line.includes('\n'))),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (texts, sizes) => {
          const whole = Buffer.from(texts.map((text) => `${text}\n`).join(''));
          const chunks: Buffer[] = [];
          for (let at = 0, i = 0; at < whole.length; i += 1) {
            const size = sizes[i % sizes.length] ?? 1;
            chunks.push(whole.subarray(at, at + size));
            at += size;
          }
          expect(await linesOf(chunks)).toEqual(texts);
        },
      ),
    );
  });

  it('reads each byte of a large line once', async () => {
    let searched = 0;
    class Counted extends Uint8Array {
      override indexOf(byte: number, from = 0): number {
        const found = super.indexOf(byte, from);
        searched += (found === -1 ? this.length : found + 1) - from;
        return found;
      }
    }
    const chunks = Array.from({ length: 1000 }, () => new Counted(1000).fill(97));
    expect((await linesOf(chunks))[0]).toHaveLength(1_000_000);
    expect(searched).toBe(1_000_000);
  });
});
