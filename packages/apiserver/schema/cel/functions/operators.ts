import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapOf,
  param,
  STRING,
  TIMESTAMP,
  UINT,
  type CelType,
} from '../types.ts';
import {
  CelError,
  compare,
  DurationValue,
  isEqual,
  TimestampValue,
  UintValue,
  type CelValue,
  type ListValue,
  type MapValue,
} from '../values.ts';
import { plain, type Functions, type Overload } from './declaration.ts';

const A = param('A');
const B = param('B');
const NUMBERS = [INT, UINT, DOUBLE];
const ORDERED = [BOOL, STRING, BYTES, TIMESTAMP, DURATION];

/** Operators, by cel-go's names for them. `&&`, `||` and `?:` are not here: they need not evaluate all operands. */
export const OPERATORS: Functions = {
  '!_': [plain([BOOL], BOOL, (value: boolean) => !value)],
  '-_': [plain([DOUBLE], DOUBLE, (value: number) => -value), plain([INT], INT, (value: bigint) => int(-value))],
  '_==_': [plain([A, A], BOOL, isEqual)],
  '_!=_': [plain([A, A], BOOL, (a: CelValue, b: CelValue) => !isEqual(a, b))],
  '_<_': comparison((order) => order < 0),
  '_<=_': comparison((order) => order <= 0),
  '_>_': comparison((order) => order > 0),
  '_>=_': comparison((order) => order >= 0),
  '_+_': [
    plain([BYTES, BYTES], BYTES, (a: Buffer, b: Buffer) => Buffer.concat([a, b])),
    plain([DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a + b),
    plain([DURATION, DURATION], DURATION, (a: DurationValue, b: DurationValue) =>
      duration(a.nanoseconds + b.nanoseconds),
    ),
    plain([DURATION, TIMESTAMP], TIMESTAMP, (a: DurationValue, b: TimestampValue) =>
      timestamp(a.nanoseconds + b.nanoseconds),
    ),
    plain([TIMESTAMP, DURATION], TIMESTAMP, (a: TimestampValue, b: DurationValue) =>
      timestamp(a.nanoseconds + b.nanoseconds),
    ),
    plain([INT, INT], INT, (a: bigint, b: bigint) => int(a + b)),
    plain([listOf(A), listOf(A)], listOf(A), (a: ListValue, b: ListValue) => a.concat(b)),
    plain([STRING, STRING], STRING, (a: string, b: string) => a + b),
    plain([UINT, UINT], UINT, (a: UintValue, b: UintValue) => uint(a.value + b.value)),
  ],
  '_-_': [
    plain([DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a - b),
    plain([DURATION, DURATION], DURATION, (a: DurationValue, b: DurationValue) =>
      duration(a.nanoseconds - b.nanoseconds),
    ),
    plain([INT, INT], INT, (a: bigint, b: bigint) => int(a - b)),
    plain([TIMESTAMP, DURATION], TIMESTAMP, (a: TimestampValue, b: DurationValue) =>
      timestamp(a.nanoseconds - b.nanoseconds),
    ),
    plain([TIMESTAMP, TIMESTAMP], DURATION, (a: TimestampValue, b: TimestampValue) =>
      duration(a.nanoseconds - b.nanoseconds),
    ),
    plain([UINT, UINT], UINT, (a: UintValue, b: UintValue) => uint(a.value - b.value)),
  ],
  '_*_': [
    plain([DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a * b),
    plain([INT, INT], INT, (a: bigint, b: bigint) => int(a * b)),
    plain([UINT, UINT], UINT, (a: UintValue, b: UintValue) => uint(a.value * b.value)),
  ],
  '_/_': [
    plain([DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a / b),
    plain([INT, INT], INT, (a: bigint, b: bigint) => int(a / nonZero(b, 'division by zero'))),
    plain([UINT, UINT], UINT, (a: UintValue, b: UintValue) => uint(a.value / nonZero(b.value, 'division by zero'))),
  ],
  '_%_': [
    plain([INT, INT], INT, (a: bigint, b: bigint) => a % nonZero(b, 'modulus by zero')),
    plain([UINT, UINT], UINT, (a: UintValue, b: UintValue) => uint(a.value % nonZero(b.value, 'modulus by zero'))),
  ],
  '@in': [
    plain([A, listOf(A)], BOOL, (value: CelValue, list: ListValue) => list.includes(value)),
    plain([A, mapOf(A, B)], BOOL, (key: CelValue, map: MapValue) => map.find(key) !== undefined),
  ],
};

function comparison(holds: (order: number) => boolean): Overload[] {
  const pairs: [CelType, CelType][] = [
    ...ORDERED.map((type): [CelType, CelType] => [type, type]),
    ...NUMBERS.flatMap((a) => NUMBERS.map((b): [CelType, CelType] => [a, b])),
  ];
  return pairs.map((pair) => plain(pair, BOOL, (a: CelValue, b: CelValue) => holds(compare(a, b))));
}

/** An int64. Throws CelError where it is none. */
export function int(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new CelError('integer overflow');
  return value;
}

/** A uint64. Throws CelError where it is none. */
export function uint(value: bigint): UintValue {
  if (BigInt.asUintN(64, value) !== value) throw new CelError('unsigned integer overflow');
  return new UintValue(value);
}

function duration(nanoseconds: bigint): DurationValue {
  if (BigInt.asIntN(64, nanoseconds) !== nanoseconds) throw new CelError('duration overflow');
  return new DurationValue(nanoseconds);
}

/** Between the years 1 and 9999. */
export function timestamp(nanoseconds: bigint): TimestampValue {
  if (nanoseconds < -62_135_596_800n * 1_000_000_000n || nanoseconds > 253_402_300_799n * 1_000_000_000n + 999_999_999n)
    throw new CelError('timestamp overflow');
  return new TimestampValue(nanoseconds);
}

function nonZero(value: bigint, problem: string): bigint {
  if (value === 0n) throw new CelError(problem);
  return value;
}
