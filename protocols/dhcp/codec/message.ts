import type { HardwareAddress, Ipv4 } from '../lease.ts';
import { writeU16, writeU32, writeU48 } from './bytes.ts';
import { ETHERNET, ETHERNET_ADDRESS_LENGTH, FIELD, MAGIC_COOKIE, MIN_MESSAGE_LENGTH } from './header.ts';
import { OPTION } from '../options/option-code.ts';
import { PacketView } from './packet-view.ts';

/** An option with its encoded value. */
export interface EncodedOption {
  readonly code: number;
  readonly value: Uint8Array;
}

/** A message as an object, for clients and tests. The server answers from templates instead. */
export interface DhcpMessage {
  /** 1: from a client, 2: from a server. */
  op: number;
  htype: number;
  hops: number;
  xid: number;
  secs: number;
  flags: number;
  ciaddr: Ipv4;
  yiaddr: Ipv4;
  siaddr: Ipv4;
  giaddr: Ipv4;
  macAddress: HardwareAddress;
  /** Up to 64 and 128 bytes, without trailing NULs. */
  sname: Uint8Array;
  file: Uint8Array;
  /** In the order of the datagram, each code once. */
  options: readonly EncodedOption[];
}

/** The fields of a message, RFC 2131 §2. Missing fields are zero. */
export type MessageFields = Pick<DhcpMessage, 'op' | 'macAddress'> & Partial<DhcpMessage>;

/**
 * A datagram of at least 300 bytes; values of more than 255 bytes are split (RFC 3396).
 *
 * @throws RangeError if `sname` or `file` is too long, or an option has the code of pad or end
 */
export function encodeMessage(message: MessageFields): Buffer {
  const options = message.options ?? [];
  const length = FIELD.options + options.reduce((sum, option) => sum + encodedOptionLength(option.value), 1);
  const bytes = Buffer.alloc(Math.max(length, MIN_MESSAGE_LENGTH));
  writeFields(bytes, message);
  let at: number = FIELD.options;
  for (const { code, value } of options) {
    if (code <= OPTION.pad || code >= OPTION.end) throw new RangeError(`an option cannot have the code ${code}`);
    at = writeOption(bytes, code, value, at);
  }
  bytes[at] = OPTION.end;
  return bytes;
}

/** @throws PacketError `Malformed`, naming the field */
export function decodeMessage(datagram: Uint8Array): DhcpMessage {
  const packet = new PacketView();
  const fault = packet.read(datagram);
  if (fault !== undefined) throw new PacketError(fault);
  const { op, htype, hops, xid, secs, flags, ciaddr, yiaddr, siaddr, giaddr, macAddress, sname, file } = packet;
  const options = packet.codes().map((code) => ({ code, value: packet.option(code) ?? new Uint8Array(0) }));
  return { op, htype, hops, xid, secs, flags, ciaddr, yiaddr, siaddr, giaddr, macAddress, sname, file, options };
}

/** The value of an option of the message. */
export function optionOf(message: Pick<DhcpMessage, 'options'>, code: number): Uint8Array | undefined {
  return message.options.find((option) => option.code === code)?.value;
}

function writeFields(bytes: Buffer, message: MessageFields): void {
  const { sname = new Uint8Array(0), file = new Uint8Array(0) } = message;
  if (sname.length > FIELD.file - FIELD.sname) throw new RangeError(`sname of ${sname.length} bytes is too long`);
  if (file.length > FIELD.cookie - FIELD.file) throw new RangeError(`file of ${file.length} bytes is too long`);
  bytes[FIELD.op] = message.op;
  bytes[FIELD.htype] = message.htype ?? ETHERNET;
  bytes[FIELD.hlen] = ETHERNET_ADDRESS_LENGTH;
  bytes[FIELD.hops] = message.hops ?? 0;
  writeU32(bytes, message.xid ?? 0, FIELD.xid);
  writeU16(bytes, message.secs ?? 0, FIELD.secs);
  writeU16(bytes, message.flags ?? 0, FIELD.flags);
  writeU32(bytes, message.ciaddr ?? 0, FIELD.ciaddr);
  writeU32(bytes, message.yiaddr ?? 0, FIELD.yiaddr);
  writeU32(bytes, message.siaddr ?? 0, FIELD.siaddr);
  writeU32(bytes, message.giaddr ?? 0, FIELD.giaddr);
  writeU48(bytes, message.macAddress, FIELD.chaddr);
  bytes.set(sname, FIELD.sname);
  bytes.set(file, FIELD.file);
  writeU32(bytes, MAGIC_COOKIE, FIELD.cookie);
}

const MAX_PIECE = 255;

/** Encoded length of an option, including code and length bytes. */
export function encodedOptionLength(value: Uint8Array): number {
  return value.length + 2 * Math.max(1, Math.ceil(value.length / MAX_PIECE));
}

/** Writes an option, split if its value is longer than 255 bytes (RFC 3396 §6). Returns the end offset. */
export function writeOption(bytes: Uint8Array, code: number, value: Uint8Array, at: number): number {
  let end = at;
  let from = 0;
  do {
    const length = Math.min(MAX_PIECE, value.length - from);
    end = writePiece(bytes, code, value, from, length, end);
    from += length;
  } while (from < value.length);
  return end;
}

/** Writes `length` bytes of `value` as an unsplit option. Copies byte by byte: most values are too short for a view. */
export function writePiece(
  bytes: Uint8Array,
  code: number,
  value: Uint8Array,
  from: number,
  length: number,
  at: number,
): number {
  bytes[at] = code;
  bytes[at + 1] = length;
  for (let i = 0; i < length; i += 1) bytes[at + 2 + i] = value[from + i] ?? 0;
  return at + 2 + length;
}

/** A datagram that is not a valid DHCP message; the error message names the invalid field. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
  readonly code = 'Malformed';
}
