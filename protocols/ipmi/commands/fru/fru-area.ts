import { encodeText } from '../type-length.ts';

/** Format version of the common header and of each area. */
const FORMAT_VERSION = 0x01;
/** No more fields. */
const END_OF_FIELDS = 0xc1;
/** Area lengths are multiples of this, at most 255 of them. */
const BLOCK = 8;
const MAX_AREA = 255 * BLOCK;
/** Chassis type, SMBIOS table 17: other. */
const CHASSIS_TYPE_OTHER = 0x01;
/** English; text is in Latin-1. */
const LANGUAGE = 0x00;
/** 1996-01-01, the origin of dates in minutes, as ms since 1970. */
const EPOCH = 820_454_400_000;
const MINUTE = 60_000;
const UNSPECIFIED_DATE = 0;
const LAST_DATE = 0xff_ffff;

/** Chassis Info Area, FRU Information Storage Definition §10. */
export function chassisArea(fields: readonly string[], custom: readonly string[]): Buffer {
  return encodeArea(Buffer.of(CHASSIS_TYPE_OTHER), fields, custom);
}

/**
 * Board Info Area, FRU Information Storage Definition §11.
 *
 * @param madeAt ms since 1970
 */
export function boardArea(madeAt: number | undefined, fields: readonly string[]): Buffer {
  const head = Buffer.alloc(4, LANGUAGE);
  head.writeUIntLE(dateOf(madeAt), 1, 3);
  return encodeArea(head, fields, []);
}

/** Product Info Area, FRU Information Storage Definition §12. */
export function productArea(fields: readonly string[], custom: readonly string[]): Buffer {
  return encodeArea(Buffer.of(LANGUAGE), fields, custom);
}

/** Common header, FRU Information Storage Definition §8, and the areas: internal use, chassis, board, product, multirecord. */
export function fruInventory(chassis: Buffer, board: Buffer, product: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK);
  let offset = BLOCK;
  header.writeUInt8(FORMAT_VERSION, 0);
  for (const [index, area] of [chassis, board, product].entries()) {
    header.writeUInt8(offset / BLOCK, 2 + index);
    offset += area.length;
  }
  return Buffer.concat([sealed(header), chassis, board, product]);
}

/** Custom fields that do not fit are left out. */
function encodeArea(head: Buffer, fields: readonly string[], custom: readonly string[]): Buffer {
  const parts = [Buffer.of(FORMAT_VERSION, 0), head, ...fields.map((field) => encodeText(field))];
  let length = Buffer.concat(parts).length;
  for (const field of custom) {
    const text = encodeText(field);
    // Leaves space for the end of fields and the checksum.
    if (length + text.length + 2 > MAX_AREA) break;
    parts.push(text);
    length += text.length;
  }
  const area = Buffer.alloc(Math.ceil((length + 2) / BLOCK) * BLOCK);
  Buffer.concat([...parts, Buffer.of(END_OF_FIELDS)]).copy(area);
  area.writeUInt8(area.length / BLOCK, 1);
  return sealed(area);
}

/** Adds a checksum byte that makes the sum 0. */
function sealed(area: Buffer): Buffer {
  const sum = area.reduce((total, byte) => total + byte, 0);
  area.writeUInt8(-sum & 0xff, area.length - 1);
  return area;
}

function dateOf(madeAt: number | undefined): number {
  if (madeAt === undefined || madeAt < EPOCH) return UNSPECIFIED_DATE;
  return Math.min(Math.floor((madeAt - EPOCH) / MINUTE), LAST_DATE);
}
