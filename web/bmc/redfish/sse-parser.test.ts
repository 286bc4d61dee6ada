import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SseParser } from './sse-parser.ts';

const STREAM = ': alive\n\nid: 7\ndata: {"a":1}\n\nretry: 2000\r\n\r\ndata: two\ndata: lines\n\nid: 8\n\n';
const MESSAGES = [
  { id: '7', data: '{"a":1}' },
  { id: '7', data: 'two\nlines' },
];

it('finds the messages of a stream', () => {
  expect(new SseParser().push(STREAM)).toEqual(MESSAGES);
});

it('finds the same for any cut of the stream', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 6 }), (cuts) => {
      const parser = new SseParser();
      const at = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
      const found = at.slice(1).flatMap((end, index) => parser.push(STREAM.slice(at[index], end)));
      expect(found).toEqual(MESSAGES);
    }),
    { numRuns: 60 },
  );
});

it('keeps an unfinished message', () => {
  const parser = new SseParser();
  expect(parser.push('data: half')).toEqual([]);
  expect(parser.push(' and half\n\n')).toEqual([{ id: undefined, data: 'half and half' }]);
});

it('refuses a line and a message without end', () => {
  expect(() => new SseParser().push('x'.repeat(1_000_001))).toThrow('no end');
  expect(() => new SseParser().push('data: x\n'.repeat(1_001))).toThrow('no end');
});
