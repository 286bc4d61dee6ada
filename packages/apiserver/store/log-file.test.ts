import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeRecord, readRecord, type End, type Entry } from './log-file.ts';

const entry: Entry = { type: 'put', collection: '/pods', revision: 258, json: '{}' };
const bytes = Buffer.from(
  '00000010' + '4819f505' + '513441b1' + '00' + '000000000102' + '0005' + '2f706f6473' + '7b7d',
  'hex',
);

const anyRecord: fc.Arbitrary<Entry | End> = fc.oneof(
  fc.record({
    type: fc.constantFrom('put' as const, 'remove' as const),
    collection: fc.string({ unit: 'binary', maxLength: 40 }),
    revision: fc.nat(2 ** 31 - 1).map((number) => number * 2 ** 16),
    json: fc.json(),
  }),
  fc.record({ type: fc.constant('end' as const), revision: fc.nat(), count: fc.nat() }),
);

describe('a record', () => {
  it('is these bytes', () => {
    expect(encodeRecord(entry).toString('hex')).toBe(bytes.toString('hex'));
    expect(readRecord(bytes, 0)).toEqual({ type: 'record', record: entry, end: bytes.length });
  });

  it('is read as it was written, at any offset', () => {
    fc.assert(
      fc.property(anyRecord, fc.uint8Array({ maxLength: 20 }), (record, before) => {
        const file = Buffer.concat([before, encodeRecord(record)]);
        expect(readRecord(file, before.length)).toEqual({ type: 'record', record, end: file.length });
      }),
    );
  });

  it('is torn where it is cut off anywhere', () => {
    for (let length = 1; length < bytes.length; length += 1) {
      expect(readRecord(bytes.subarray(0, length), 0)).toEqual({ type: 'torn' });
    }
    expect(readRecord(bytes.subarray(0, 0), 0)).toEqual({ type: 'nothing' });
  });

  it('is torn where zeros stand for its end, as a power cut leaves them', () => {
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = Buffer.concat([bytes.subarray(0, length), Buffer.alloc(bytes.length - length + 100)]);
      expect(readRecord(cut, 0)).toEqual({ type: 'torn' });
    }
  });

  it('is damaged where any bit of it is another', () => {
    const next = encodeRecord(entry);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.concat([bytes, next]);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(readRecord(flipped, 0)).toMatchObject({ type: 'damaged' });
    }
  });

  it('is never made of noise', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (noise) => {
        expect(readRecord(Buffer.from(noise), 0).type).toMatch(/^(torn|damaged)$/);
      }),
      { numRuns: 2000 },
    );
  });

  it('with a body of no known form is damaged, however well it is summed up', () => {
    const unknown = encodeRecord({ type: 'end', revision: 1, count: 0 });
    const other = encodeRecord({ ...entry, type: 'end' } as unknown as End);
    expect(readRecord(unknown, 0)).toMatchObject({ type: 'record' });
    expect(readRecord(other, 0)).toEqual({ type: 'damaged', why: 'a record is of no known form' });
  });
});
