/** A value while a rule is evaluated. Ints are bigints, doubles numbers. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Buffer
  | UintValue
  | ListValue
  | MapValue
  | TimestampValue
  | DurationValue
  | TypeValue
  | OptionalValue
  | OpaqueValue;

/** What evaluation ends with where it cannot go on, in cel-go's words. */
export class CelError extends Error {
  override readonly name = 'CelError';
}

export function noSuchOverload(): CelError {
  return new CelError('no such overload');
}

export class UintValue {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class TimestampValue {
  /** Nanoseconds since 1970. */
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

export class DurationValue {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

export class TypeValue {
  readonly type: string;

  constructor(type: string) {
    this.type = type;
  }
}

export class OptionalValue {
  static readonly none = new OptionalValue(undefined);
  readonly value: CelValue | undefined;

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A value of a library's type. */
export abstract class OpaqueValue {
  abstract readonly typeName: string;
  abstract equals(other: OpaqueValue): boolean;
}

export abstract class ListValue {
  abstract readonly size: number;
  abstract at(index: number): CelValue;

  *[Symbol.iterator](): Generator<CelValue> {
    for (let index = 0; index < this.size; index += 1) yield this.at(index);
  }

  equals(other: ListValue): boolean {
    if (this.size !== other.size) return false;
    for (let index = 0; index < this.size; index += 1) if (!isEqual(this.at(index), other.at(index))) return false;
    return true;
  }

  concat(other: ListValue): ListValue {
    return new PlainList([...this, ...other]);
  }

  includes(value: CelValue): boolean {
    for (const item of this) if (isEqual(item, value)) return true;
    return false;
  }
}

export class PlainList extends ListValue {
  readonly #items: readonly CelValue[];

  constructor(items: readonly CelValue[]) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): CelValue {
    return this.#items[index] ?? null;
  }
}

export abstract class MapValue {
  abstract readonly size: number;
  /** Undefined where there is no such key. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): CelValue[];

  equals(other: MapValue): boolean {
    if (this.size !== other.size) return false;
    return this.keys().every((key) => {
      const [mine, theirs] = [this.find(key), other.find(key)];
      return mine !== undefined && theirs !== undefined && isEqual(mine, theirs);
    });
  }
}

export class PlainMap extends MapValue {
  readonly #entries: readonly (readonly [CelValue, CelValue])[];

  /** Of equal keys the last one counts. */
  constructor(entries: readonly (readonly [CelValue, CelValue])[]) {
    super();
    this.#entries = entries.filter(([key], index) => !entries.slice(index + 1).some(([later]) => isEqual(key, later)));
  }

  get size(): number {
    return this.#entries.length;
  }

  find(key: CelValue): CelValue | undefined {
    return this.#entries.find(([own]) => isEqual(own, key))?.[1];
  }

  keys(): CelValue[] {
    return this.#entries.map(([key]) => key);
  }
}

/** CEL's equality: numbers by value whatever their type, other types never equal each other. */
export function isEqual(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) return left == right; // bigint and number compare by value
  if (a instanceof ListValue) return b instanceof ListValue && a.equals(b);
  if (a instanceof MapValue) return b instanceof MapValue && a.equals(b);
  if (a instanceof OptionalValue) return b instanceof OptionalValue && isEqualOptional(a, b);
  return isEqualSimple(a, b);
}

function isEqualSimple(a: CelValue, b: CelValue): boolean {
  if (a instanceof TimestampValue) return b instanceof TimestampValue && a.nanoseconds === b.nanoseconds;
  if (a instanceof DurationValue) return b instanceof DurationValue && a.nanoseconds === b.nanoseconds;
  if (Buffer.isBuffer(a)) return Buffer.isBuffer(b) && a.equals(b);
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type === b.type;
  return a instanceof OpaqueValue && b instanceof OpaqueValue && a.typeName === b.typeName && a.equals(b);
}

function isEqualOptional(a: OptionalValue, b: OptionalValue): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return isEqual(a.value, b.value);
}

/** A key as errors name it. */
export function keyText(key: CelValue): string {
  if (key instanceof UintValue) return String(key.value);
  return typeof key === 'object' ? typeNameOf(key) : String(key);
}

/** The value as something that JavaScript compares numbers with; undefined where it is none. */
function numberOf(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof UintValue ? value.value : undefined;
}

/** Below zero, zero or above it. Throws CelError where the values have no order. */
export function compare(a: CelValue, b: CelValue): number {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) {
    if (Number.isNaN(left) || Number.isNaN(right)) throw new CelError('NaN values cannot be ordered');
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return Buffer.compare(a, b);
  if (
    (a instanceof TimestampValue && b instanceof TimestampValue) ||
    (a instanceof DurationValue && b instanceof DurationValue)
  )
    return a.nanoseconds < b.nanoseconds ? -1 : a.nanoseconds > b.nanoseconds ? 1 : 0;
  throw noSuchOverload();
}

/** The name of a value's type. */
export function typeNameOf(value: CelValue): string {
  if (value === null) return 'null_type';
  if (value instanceof UintValue) return 'uint';
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof TimestampValue) return 'google.protobuf.Timestamp';
  if (value instanceof DurationValue) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof OptionalValue) return 'optional_type';
  if (value instanceof OpaqueValue) return value.typeName;
  if (Buffer.isBuffer(value)) return 'bytes';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    default:
      return 'string';
  }
}
