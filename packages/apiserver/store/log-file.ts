import { crc32 } from 'node:zlib';

/** The header of a file. */
export interface FileHead {
  readonly kind: FileKind;
  /** The number of the journal. A snapshot has the number of the journal that follows it. */
  readonly generation: number;
  /** The store's revision before the journal's first entry, or at the snapshot. */
  readonly revision: number;
}

export type FileKind = 'journal' | 'snapshot';

export interface FileReading {
  /** Undefined if the header is incomplete. */
  readonly head: FileHead | undefined;
  readonly records: readonly { readonly record: Entry | End; readonly offset: number }[];
  /** The end of the last complete record, in bytes. */
  readonly size: number;
  /** Whether an incomplete record follows at `size`. */
  readonly torn: boolean;
}

/** A damaged file; its content is invalid from `offset` on. */
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
/** The version of the file format. */
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

/** Reads a complete file. @throws DamagedFile, UnknownFormat */
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
    const versions = `format ${format}; this version reads ${FORMAT}`;
    throw new UnknownFormat(`it was written by a later version of Groundcrew (${versions})`);
  }
  const kind = KINDS[bytes.readUInt16BE(10)];
  const isIntact = isOurs && bytes.readUInt32BE(28) === crc32(bytes.subarray(0, 28));
  if (isIntact && kind !== undefined) {
    return { kind, generation: bytes.readUInt32BE(12), revision: bytes.readUIntBE(16, 6) };
  }
  // After a power failure a new file can have its length but only zeros.
  if (bytes.subarray(HEAD_SIZE - 1).every((byte) => byte === 0)) return undefined;
  throw new DamagedFile(0, isOurs ? 'the checksum of its header does not match' : 'it is not a file of this store');
}

/** One write: an object's new state, or the last state of a removed object. */
export interface Entry {
  readonly type: 'put' | 'remove';
  readonly collection: string;
  readonly revision: number;
  /** The object as JSON text. */
  readonly json: string;
}

/** The last record of a complete snapshot. */
export interface End {
  readonly type: 'end';
  readonly revision: number;
  /** The number of entries before it. */
  readonly count: number;
}

/** The result of reading at an offset. `torn`: the process or the machine stopped during the write. */
export type Reading =
  | { readonly type: 'record'; readonly record: Entry | End; readonly end: number }
  | { readonly type: 'nothing' | 'torn' }
  | { readonly type: 'damaged'; readonly why: string };

// A record is a header (length of the body, its CRC-32, and the CRC-32 of these eight bytes; 32 bits each) and a body:
// type (8 bits), revision (48), length of the collection's name (16), the name, and JSON. All numbers are big-endian.
const HEAD = 12;
const BODY = 9;

const TYPES = ['put', 'remove', 'end'] as const;

export function encodeRecord(record: Entry | End): Buffer {
  const { type, revision } = record;
  const collection = type === 'end' ? '' : record.collection;
  const json = type === 'end' ? String(record.count) : record.json;
  const nameLength = Buffer.byteLength(collection);
  const bytes = Buffer.allocUnsafe(HEAD + BODY + nameLength + Buffer.byteLength(json));
  bytes.writeUInt8(TYPES.indexOf(type), HEAD);
  bytes.writeUIntBE(revision, HEAD + 1, 6);
  bytes.writeUInt16BE(nameLength, HEAD + 7);
  bytes.write(collection, HEAD + BODY);
  bytes.write(json, HEAD + BODY + nameLength);
  bytes.writeUInt32BE(bytes.length - HEAD, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(HEAD)), 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

/** Reads the record at offset `start`. */
export function readRecord(bytes: Buffer, start: number): Reading {
  const left = bytes.length - start;
  if (left === 0) return { type: 'nothing' };
  if (left < HEAD) return { type: 'torn' };
  if (bytes.readUInt32BE(start + 8) !== crc32(bytes.subarray(start, start + 8))) {
    return tornOrDamaged(bytes, start + HEAD, 'the checksum of a record’s length does not match');
  }
  const length = bytes.readUInt32BE(start);
  const end = start + HEAD + length;
  if (end > bytes.length) return { type: 'torn' };
  const body = bytes.subarray(start + HEAD, end);
  if (bytes.readUInt32BE(start + 4) !== crc32(body)) {
    return tornOrDamaged(bytes, end, 'the checksum of a record does not match');
  }
  const record = decodeBody(body);
  return record === undefined
    ? { type: 'damaged', why: 'a record has an unknown type or an invalid body' }
    : { type: 'record', record, end };
}

/**
 * A power failure can leave zeros at the end of a file that has its full length. JSON has no zero bytes, so a complete
 * record never ends with one.
 */
function tornOrDamaged(bytes: Buffer, end: number, why: string): Reading {
  return isZero(bytes.subarray(end - 1)) ? { type: 'torn' } : { type: 'damaged', why };
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

function decodeBody(body: Buffer): Entry | End | undefined {
  if (body.length < BODY) return undefined;
  const type = TYPES[body.readUInt8(0)];
  const revision = body.readUIntBE(1, 6);
  const nameEnd = BODY + body.readUInt16BE(7);
  if (type === undefined || nameEnd > body.length) return undefined;
  const json = body.toString('utf8', nameEnd);
  if (type !== 'end') return { type, revision, collection: body.toString('utf8', BODY, nameEnd), json };
  return /^\d+$/.test(json) ? { type, revision, count: Number(json) } : undefined;
}
