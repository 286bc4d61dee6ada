import { CelError, keyText, ListValue, MapValue, noSuchOverload, OptionalValue, type CelValue } from './values.ts';

/** Undefined where there is no such field. */
export function fieldOf(value: CelValue, field: string): CelValue | undefined {
  if (value instanceof MapValue) return value.find(field);
  throw noSuchOverload();
}

export function optionalField({ value }: OptionalValue, field: string): OptionalValue {
  return value === undefined ? OptionalValue.none : new OptionalValue(fieldOf(value, field));
}

export function itemOf(value: CelValue, key: CelValue): CelValue {
  if (value instanceof ListValue) {
    if (typeof key !== 'bigint') throw new CelError(`unsupported index: ${keyText(key)}`);
    if (key < 0n || key >= BigInt(value.size)) throw new CelError(`index out of bounds: ${key}`);
    return value.at(Number(key));
  }
  if (!(value instanceof MapValue)) throw noSuchOverload();
  const found = value.find(key);
  if (found === undefined) throw new CelError(`no such key: ${keyText(key)}`);
  return found;
}

export function optionalIndex({ value }: OptionalValue, key: CelValue): OptionalValue {
  if (value === undefined) return OptionalValue.none;
  if (value instanceof MapValue) return new OptionalValue(value.find(key));
  if (!(value instanceof ListValue) || typeof key !== 'bigint') throw noSuchOverload();
  return key < 0n || key >= BigInt(value.size) ? OptionalValue.none : new OptionalValue(value.at(Number(key)));
}
