import { setImmediate as pause } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { StorageError } from './disk.ts';
import { Store } from './store.ts';
import { MemoryDisk } from '../testing/memory-disk.ts';

const JOURNAL = 'journal-00000001';

function open(disk: MemoryDisk, compactAt = 1_000_000): Store {
  return Store.open({ disk, logger: silentLogger, compactAt });
}

function put(store: Store, name: string): void {
  store.put('things', { apiVersion: 'v1', kind: 'Thing', metadata: { name } });
}

function keysOf(store: Store): string[] {
  return Array.from(store.collection('things').sorted(), ([key]) => key);
}

/** The content of each file in hexadecimal. */
function contents(disk: MemoryDisk): Record<string, string> {
  return Object.fromEntries(disk.list().map((name) => [name, disk.read(name).toString('hex')]));
}

let disk: MemoryDisk;
beforeEach(() => {
  disk = new MemoryDisk();
  const store = open(disk);
  for (const name of ['a', 'b', 'c']) put(store, name);
});

const flip =
  (at: number) =>
  (bytes: Buffer): Buffer => {
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  };

describe('the recovery of a store', () => {
  it('refuses a journal with a damaged record, names file and byte, and changes no file', () => {
    const second = disk.read(JOURNAL).indexOf('"name":"b"');
    disk.corrupt(JOURNAL, flip(second));
    const before = contents(disk);
    expect(() => open(disk)).toThrow(
      expect.objectContaining({
        name: 'StorageError',
        message: expect.stringMatching(
          /^\/disk\/journal-00000001 is damaged at byte \d+: the checksum of a record does not match; the folder is unchanged\./,
        ) as string,
      }),
    );
    expect(contents(disk)).toEqual(before);
  });

  it('refuses a corrupted file, or recovers a prefix of the writes', () => {
    const whole = disk.read(JOURNAL);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 3 }),
        fc.nat(whole.length),
        fc.uint8Array({ maxLength: 30 }),
        (changes, length, more) => {
          const changed = new MemoryDisk();
          open(changed);
          changed.corrupt(JOURNAL, () => {
            const bytes = Buffer.from(whole);
            for (const [at, byte] of changes) bytes.writeUInt8(byte, at);
            return Buffer.concat([bytes.subarray(0, length), more]);
          });
          try {
            const names = keysOf(open(changed));
            expect(['a', 'b', 'c'].slice(0, names.length)).toEqual(names);
          } catch (error) {
            expect(error).toBeInstanceOf(StorageError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('drops an incomplete last record and continues there', () => {
    disk.corrupt(JOURNAL, (bytes) => bytes.subarray(0, -1));
    const store = open(disk);
    expect(keysOf(store)).toEqual(['a', 'b']);
    put(store, 'd');
    expect(keysOf(open(disk))).toEqual(['a', 'b', 'd']);
  });

  it('refuses a file of a later version', () => {
    disk.corrupt(JOURNAL, (bytes) => {
      bytes.writeUInt16BE(2, 8);
      bytes.writeUInt32BE(crc32(bytes.subarray(0, 28)), 28);
      return bytes;
    });
    expect(() => open(disk)).toThrow(
      '/disk/journal-00000001: it was written by a later version of Groundcrew (format 2; this version reads 1).',
    );
  });

  it('refuses a file of another program', () => {
    disk.corrupt(JOURNAL, () => Buffer.from('a text file of another program, longer than a header'));
    expect(() => open(disk)).toThrow('it is not a file of this store');
  });

  it('refuses a missing, renamed or incomplete file', async () => {
    const store = open(disk, 100);
    for (let turn = 0; turn < 20 && !disk.list().includes('snapshot-00000002'); turn += 1) {
      put(store, 'd');
      await pause();
      await pause();
    }
    const { 'journal-00000002': journal = '', 'snapshot-00000002': snapshot = '' } = contents(disk);
    const only = (files: Record<string, string>): MemoryDisk =>
      new MemoryDisk(
        new Map(
          Object.entries(files).map(([name, hex]) => [
            name,
            { bytes: Buffer.from(hex, 'hex'), synced: hex.length / 2 },
          ]),
        ),
      );
    expect(() => open(only({ 'snapshot-00000002': snapshot }))).toThrow('/disk/journal-00000002 is missing');
    expect(() => open(only({ 'journal-00000002': journal }))).toThrow('/disk/journal-00000001 is missing');
    expect(() => open(only({ [JOURNAL]: journal }))).toThrow('its header is that of journal-00000002');
    expect(() => open(only({ 'journal-00000002': journal, 'snapshot-00000002': snapshot.slice(0, -20) }))).toThrow(
      /snapshot-00000002 is damaged at byte \d+: it is incomplete/,
    );
  });

  it('removes the leftovers of an interrupted compaction', () => {
    disk.append('snapshot-00000002.part').write(Buffer.from('half'));
    open(disk);
    expect(disk.list()).toEqual([JOURNAL]);
  });
});
