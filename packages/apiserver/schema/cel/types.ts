/** A type of CEL, as cel-go's checker knows them. */
export type CelType =
  | { readonly kind: 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'dyn' | 'error' }
  | { readonly kind: 'timestamp' | 'duration' }
  | { readonly kind: 'list'; readonly item: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  /** An object with fields that a schema declares; `fields` is asked for late, since schemas are large. */
  | { readonly kind: 'object'; readonly name: string; readonly fields: ReadonlyMap<string, CelType> }
  /** A type of a library, without fields. */
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly CelType[] }
  | { readonly kind: 'type'; readonly of?: CelType }
  /** Stands for any type, the same one wherever it stands in a signature. */
  | { readonly kind: 'param'; readonly name: string };

export const BOOL: CelType = { kind: 'bool' };
export const INT: CelType = { kind: 'int' };
export const UINT: CelType = { kind: 'uint' };
export const DOUBLE: CelType = { kind: 'double' };
export const STRING: CelType = { kind: 'string' };
export const BYTES: CelType = { kind: 'bytes' };
export const NULL: CelType = { kind: 'null' };
export const DYN: CelType = { kind: 'dyn' };
export const ERROR: CelType = { kind: 'error' };
export const TIMESTAMP: CelType = { kind: 'timestamp' };
export const DURATION: CelType = { kind: 'duration' };
export const QUANTITY: CelType = { kind: 'opaque', name: 'kubernetes.Quantity', parameters: [] };
export const URL_TYPE: CelType = { kind: 'opaque', name: 'kubernetes.URL', parameters: [] };
export const FORMAT: CelType = { kind: 'opaque', name: 'kubernetes.NamedFormat', parameters: [] };
export const IP: CelType = { kind: 'opaque', name: 'net.IP', parameters: [] };
export const CIDR: CelType = { kind: 'opaque', name: 'net.CIDR', parameters: [] };

export function listOf(item: CelType): CelType {
  return { kind: 'list', item };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', key, value };
}

export function optionalOf(type: CelType): CelType {
  return { kind: 'opaque', name: 'optional_type', parameters: [type] };
}

export function param(name: string): CelType {
  return { kind: 'param', name };
}

/** What an optional type holds; undefined where the type is not optional. */
export function unwrapOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined;
}

/** The type as cel-go's errors write it. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.item)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'object':
    case 'param':
      return type.name;
    case 'opaque':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(typeText).join(', ')})`;
    case 'type':
      return type.of === undefined ? 'type' : `type(${typeText(type.of)})`;
    case 'error':
      return '!error!';
    default:
      return type.kind;
  }
}

/** The type's name when an expression is evaluated, without those of its parts. */
export function runtimeName(type: CelType): string {
  switch (type.kind) {
    case 'object':
    case 'opaque':
      return type.name;
    case 'null':
      return 'null_type';
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    default:
      return type.kind;
  }
}

/** Types of a type's parts, in order. */
export function parametersOf(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.item];
    case 'map':
      return [type.key, type.value];
    case 'opaque':
      return type.parameters;
    case 'type':
      return type.of === undefined ? [] : [type.of];
    default:
      return [];
  }
}

/** The same type with other parts. */
export function withParameters(type: CelType, parameters: readonly CelType[]): CelType {
  const [first = DYN, second = DYN] = parameters;
  switch (type.kind) {
    case 'list':
      return listOf(first);
    case 'map':
      return mapOf(first, second);
    case 'opaque':
      return { ...type, parameters };
    case 'type':
      return type.of === undefined ? type : { kind: 'type', of: first };
    default:
      return type;
  }
}
