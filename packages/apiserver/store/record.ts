import { crc32 } from 'node:zlib';

/** One write as it is kept: an object's new state, or the last one of an object that is gone. */
export interface Entry {
  readonly type: 'put' | 'remove';
  readonly collection: string;
  readonly revision: number;
  /** The object. */
  readonly json: string;
}

/** Says that a snapshot is whole. */
export interface End {
  readonly type: 'end';
  readonly revision: number;
  /** Entries before it. */
  readonly count: number;
}

/** What stands at a place of a file. Torn: the program, or the machine, ended while it was written there. */
export type Reading =
  | { readonly type: 'record'; readonly record: Entry | End; readonly end: number }
  | { readonly type: 'nothing' | 'torn' }
  | { readonly type: 'damaged'; readonly why: string };

// A record is a head (length of the body, its CRC-32, and the CRC-32 of these eight bytes; 32 bits each) and a body:
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

/** Reads the record that begins at `start`. */
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
    ? { type: 'damaged', why: 'a record is of no known form' }
    : { type: 'record', record, end };
}

/**
 * A power cut can leave a file at its full length with zeros at its end. JSON has no zero bytes, so that no whole
 * record ends in one.
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
