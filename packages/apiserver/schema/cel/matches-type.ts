import type { CelType } from './types.ts';
import {
  DurationValue,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  TimestampValue,
  TypeValue,
  UintValue,
  type CelValue,
} from './values.ts';

/** Whether a value can be an argument of the type: overloads of dynamic values are chosen by what the values are. */
export function matchesType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'uint':
      return value instanceof UintValue;
    case 'bytes':
      return Buffer.isBuffer(value);
    case 'null':
      return value === null;
    case 'timestamp':
      return value instanceof TimestampValue;
    case 'duration':
      return value instanceof DurationValue;
    case 'list':
      return value instanceof ListValue && (value.size === 0 || matchesType(value.at(0), type.item));
    case 'map':
    case 'object':
      return value instanceof MapValue;
    case 'type':
      return value instanceof TypeValue;
    case 'opaque':
      return type.name === 'optional_type'
        ? value instanceof OptionalValue
        : value instanceof OpaqueValue && value.typeName === type.name;
    default:
      return true;
  }
}
