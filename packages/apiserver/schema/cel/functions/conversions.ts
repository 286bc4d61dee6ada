import { parseGoDuration } from '../../go-duration.ts';
import { goFloat } from '../../go-text.ts';
import { durationText, floorDivide, parseTimestamp, timestampText } from '../time.ts';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, param, STRING, TIMESTAMP, UINT } from '../types.ts';
import {
  CelError,
  DurationValue,
  typeNameOf,
  TypeValue,
  type CelValue,
  type ListValue,
  type MapValue,
  type TimestampValue,
  type UintValue,
} from '../values.ts';
import { member, plain, type Functions } from './declaration.ts';
import { int, timestamp, uint } from './operators.ts';

const A = param('A');
const B = param('B');
const NANOSECONDS = 1_000_000_000n;
const same = (value: CelValue) => value;
const characters = (text: string) => BigInt(Array.from(text).length);

export const CONVERSIONS: Functions = {
  size: [
    plain([BYTES], INT, (value: Buffer) => BigInt(value.length)),
    member([BYTES], INT, (value: Buffer) => BigInt(value.length)),
    plain([listOf(A)], INT, (value: ListValue) => BigInt(value.size)),
    member([listOf(A)], INT, (value: ListValue) => BigInt(value.size)),
    plain([mapOf(A, B)], INT, (value: MapValue) => BigInt(value.size)),
    member([mapOf(A, B)], INT, (value: MapValue) => BigInt(value.size)),
    plain([STRING], INT, characters),
    member([STRING], INT, characters),
  ],
  type: [plain([A], { kind: 'type', of: A }, (value: CelValue) => new TypeValue(typeNameOf(value)))],
  dyn: [plain([A], DYN, same)],
  bool: [plain([BOOL], BOOL, same), plain([STRING], BOOL, toBool)],
  bytes: [plain([BYTES], BYTES, same), plain([STRING], BYTES, (text: string) => Buffer.from(text))],
  double: [
    plain([DOUBLE], DOUBLE, same),
    plain([INT], DOUBLE, (value: bigint) => Number(value)),
    plain([STRING], DOUBLE, toDouble),
    plain([UINT], DOUBLE, ({ value }: UintValue) => Number(value)),
  ],
  duration: [
    plain([DURATION], DURATION, same),
    plain([INT], DURATION, (value: bigint) => new DurationValue(value)),
    plain([STRING], DURATION, toDuration),
  ],
  int: [
    plain([INT], INT, same),
    plain([DOUBLE], INT, (value: number) => truncated(value, 'integer overflow', int)),
    plain([DURATION], INT, (value: DurationValue) => value.nanoseconds),
    plain([STRING], INT, (text: string) => parsed(text, /^[+-]?\d+$/, int)),
    plain([TIMESTAMP], INT, (value: TimestampValue) => floorDivide(value.nanoseconds, NANOSECONDS)),
    plain([UINT], INT, ({ value }: UintValue) => int(value)),
  ],
  string: [
    plain([STRING], STRING, same),
    plain([BOOL], STRING, String),
    plain([BYTES], STRING, toText),
    plain([DOUBLE], STRING, goFloat),
    plain([DURATION], STRING, (value: DurationValue) => durationText(value.nanoseconds)),
    plain([INT], STRING, String),
    plain([TIMESTAMP], STRING, (value: TimestampValue) => timestampText(value.nanoseconds)),
    plain([UINT], STRING, ({ value }: UintValue) => String(value)),
  ],
  timestamp: [
    plain([TIMESTAMP], TIMESTAMP, same),
    plain([INT], TIMESTAMP, (seconds: bigint) => timestamp(seconds * NANOSECONDS)),
    plain([STRING], TIMESTAMP, toTimestamp),
  ],
  uint: [
    plain([UINT], UINT, same),
    plain([DOUBLE], UINT, (value: number) => truncated(value, 'unsigned integer overflow', uint)),
    plain([INT], UINT, (value: bigint) => uint(value)),
    plain([STRING], UINT, (text: string) => parsed(text, /^\d+$/, uint)),
  ],
};

function toBool(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw conversionError('string', 'bool');
}

function toDouble(text: string): number {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw conversionError('string', 'double');
  return Number(text);
}

function toDuration(text: string): DurationValue {
  const nanoseconds = parseGoDuration(text);
  if (nanoseconds === undefined) throw conversionError('string', 'google.protobuf.Duration');
  return new DurationValue(nanoseconds);
}

function toTimestamp(text: string): TimestampValue {
  const nanoseconds = parseTimestamp(text);
  if (nanoseconds === undefined) throw conversionError('string', 'google.protobuf.Timestamp');
  return timestamp(nanoseconds);
}

function toText(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  return text;
}

function truncated<T>(value: number, problem: string, convert: (value: bigint) => T): T {
  if (!Number.isFinite(value)) throw new CelError(problem);
  return convert(BigInt(Math.trunc(value)));
}

function parsed<T>(text: string, form: RegExp, convert: (value: bigint) => T): T {
  const type = form.source.includes('+') && form.source.startsWith('^[') ? 'int' : 'uint';
  if (!form.test(text)) throw conversionError('string', type);
  try {
    return convert(BigInt(text.replace(/^\+/, '')));
  } catch {
    throw conversionError('string', type);
  }
}

function conversionError(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}
