import { crc32 } from 'node:zlib';
import { readRecord, type End, type Entry } from './record.ts';

/** What a file begins with. */
export interface FileHead {
  readonly kind: FileKind;
  /** Counts the journals; a snapshot has the number of the journal that goes on after it. */
  readonly generation: number;
  /** The store's before the journal's first entry, or after the snapshot's last. */
  readonly revision: number;
}

export type FileKind = 'journal' | 'snapshot';

export interface FileReading {
  /** Undefined where not even the head was written whole. */
  readonly head: FileHead | undefined;
  readonly records: readonly { readonly record: Entry | End; readonly offset: number }[];
  /** Where the last whole record ends. */
  readonly size: number;
  /** Something begins there and is cut off. */
  readonly torn: boolean;
}

/** A file, and the offset in it from which on it cannot be believed. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** A file that this version cannot read. */
export class UnknownFormat extends Error {
  override readonly name = 'UnknownFormat';
}

const MAGIC = 'gc-store';
/** Of the form of files. */
const FORMAT = 1;
const HEAD_SIZE = 32;
const KINDS: readonly FileKind[] = ['journal', 'snapshot'];

/** Magic (8 bytes), format (16 bits), kind (16), generation (32), revision (48), zeros (48), CRC-32 of all before it. */
export function encodeHead({ kind, generation, revision }: FileHead): Buffer {
  const bytes = Buffer.alloc(HEAD_SIZE);
  bytes.write(MAGIC, 'latin1');
  bytes.writeUInt16BE(FORMAT, 8);
  bytes.writeUInt16BE(KINDS.indexOf(kind), 10);
  bytes.writeUInt32BE(generation, 12);
  bytes.writeUIntBE(revision, 16, 6);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 28)), 28);
  return bytes;
}

/** Reads a whole file. Throws DamagedFile, or UnknownFormat. */
export function readLogFile(bytes: Buffer): FileReading {
  const head = readHead(bytes);
  if (head === undefined) return { head, records: [], size: 0, torn: bytes.length > 0 };
  const records: { record: Entry | End; offset: number }[] = [];
  for (let size = HEAD_SIZE; ;) {
    const reading = readRecord(bytes, size);
    if (reading.type === 'damaged') throw new DamagedFile(size, reading.why);
    if (reading.type !== 'record') return { head, records, size, torn: reading.type === 'torn' };
    records.push({ record: reading.record, offset: size });
    size = reading.end;
  }
}

function readHead(bytes: Buffer): FileHead | undefined {
  if (bytes.length < HEAD_SIZE) return undefined;
  const isOurs = bytes.toString('latin1', 0, MAGIC.length) === MAGIC;
  const format = bytes.readUInt16BE(8);
  if (isOurs && format > FORMAT) {
    const versions = `format ${format}; this one knows ${FORMAT}`;
    throw new UnknownFormat(`it was written by a later version of Groundcrew (${versions})`);
  }
  const kind = KINDS[bytes.readUInt16BE(10)];
  const isIntact = isOurs && bytes.readUInt32BE(28) === crc32(bytes.subarray(0, 28));
  if (isIntact && kind !== undefined) {
    return { kind, generation: bytes.readUInt32BE(12), revision: bytes.readUIntBE(16, 6) };
  }
  // What a power cut leaves of a file that was just made: its length, and zeros.
  if (bytes.subarray(HEAD_SIZE - 1).every((byte) => byte === 0)) return undefined;
  throw new DamagedFile(
    0,
    isOurs ? 'the checksum of its head does not match' : 'it does not begin as such a file does',
  );
}
