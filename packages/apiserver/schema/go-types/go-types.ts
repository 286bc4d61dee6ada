/** How Go decodes and encodes a value. */
export type GoKind =
  | 'bool'
  | 'string'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'bytes'
  | 'slice'
  | 'map'
  | 'struct'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString'
  | 'raw';

export interface GoType {
  /** As encoding/json names it in errors. */
  readonly text: string;
  readonly kind: GoKind;
  /** Of slices and maps. */
  readonly element?: GoType;
}

/** A field of a Go struct. */
export interface GoField extends GoType {
  /** The struct that the field is in, without its package. */
  readonly struct: string;
  readonly isPointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
}

/** What go-types.json holds. */
export interface GoTypesFile {
  /** By OpenAPI name; fields have a type and letters: `p` for a pointer, `e` for omitempty, `z` for omitzero. */
  structs: Record<string, { name: string; fields: Record<string, [string, string]> }>;
  /** What types that are no structs are made of. */
  named: Record<string, string>;
}

const KINDS: Readonly<Record<string, GoKind>> = {
  bool: 'bool',
  string: 'string',
  int32: 'int32',
  int64: 'int64',
  float64: 'float64',
  'v1.Time': 'time',
  'v1.MicroTime': 'microTime',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'v1.FieldsV1': 'raw',
  'runtime.RawExtension': 'raw',
  'v1.JSON': 'raw',
  'v1.JSONSchemaPropsOrArray': 'raw',
  'v1.JSONSchemaPropsOrBool': 'raw',
  'v1.JSONSchemaPropsOrStringArray': 'raw',
};

/** The Go structs behind the built-in kinds: what their OpenAPI schemas do not say of how they are read and written. */
export class GoTypes {
  readonly #file: GoTypesFile;

  constructor(file: GoTypesFile) {
    this.#file = file;
  }

  /** In the order in which Go writes them. `schema`: the struct's name in OpenAPI. */
  fields(schema: string): Record<string, GoField> {
    const struct = this.#file.structs[schema];
    if (struct === undefined) return {};
    return Object.fromEntries(
      Object.entries(struct.fields).map(([name, [text, letters]]) => [
        name,
        {
          ...this.#type(text),
          struct: struct.name,
          isPointer: letters.includes('p'),
          omitEmpty: letters.includes('e'),
          omitZero: letters.includes('z'),
        },
      ]),
    );
  }

  #type(text: string): GoType {
    if (text === '[]uint8') return { text, kind: 'bytes' };
    const kind = KINDS[text];
    if (kind !== undefined) return { text, kind };
    const [, elementText] = /^(?:\[\]|map\[[^\]]*\])(.+)$/.exec(text) ?? [];
    if (elementText !== undefined)
      return { text, kind: text.startsWith('[]') ? 'slice' : 'map', element: this.#type(elementText) };
    const made = this.#file.named[text];
    return made === undefined ? { text, kind: 'struct' } : { ...this.#type(made), text };
  }
}
