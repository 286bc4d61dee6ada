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
  it('has these exact bytes', () => {
    expect(encodeRecord(entry).toString('hex')).toBe(bytes.toString('hex'));
    expect(readRecord(bytes, 0)).toEqual({ type: 'record', record: entry, end: bytes.length });
  });

  it('reads back as written, at any offset', () => {
    fc.assert(
      fc.property(anyRecord, fc.uint8Array({ maxLength: 20 }), (record, before) => {
        const file = Buffer.concat([before, encodeRecord(record)]);
        expect(readRecord(file, before.length)).toEqual({ type: 'record', record, end: file.length });
      }),
    );
  });

  it('is torn if it is cut off at any byte', () => {
    for (let length = 1; length < bytes.length; length += 1) {
      expect(readRecord(bytes.subarray(0, length), 0)).toEqual({ type: 'torn' });
    }
    expect(readRecord(bytes.subarray(0, 0), 0)).toEqual({ type: 'nothing' });
  });

  it('is torn if it ends with zeros, as after a power failure', () => {
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = Buffer.concat([bytes.subarray(0, length), Buffer.alloc(bytes.length - length + 100)]);
      expect(readRecord(cut, 0)).toEqual({ type: 'torn' });
    }
  });

  it('is damaged if any bit is flipped', () => {
    const next = encodeRecord(entry);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.concat([bytes, next]);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(readRecord(flipped, 0)).toMatchObject({ type: 'damaged' });
    }
  });

  it('is never read from random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (noise) => {
        expect(readRecord(Buffer.from(noise), 0).type).toMatch(/^(torn|damaged)$/);
      }),
      { numRuns: 2000 },
    );
  });

  it('is damaged if the body is invalid and the checksums match', () => {
    const unknown = encodeRecord({ type: 'end', revision: 1, count: 0 });
    const other = encodeRecord({ ...entry, type: 'end' } as unknown as End);
    expect(readRecord(unknown, 0)).toMatchObject({ type: 'record' });
    expect(readRecord(other, 0)).toEqual({
      type: 'damaged',
      why: 'a record has an unknown type or an invalid body',
    });
  });
});
