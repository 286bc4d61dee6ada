import { arrayOr, isObject, objectOr, type Json, type JsonObject } from '../json.ts';
import { goJson } from '../schema/index.ts';

/** Makes the JSON text of a value. */
type Form = (value: Json | undefined) => string;

const text: Form = (value) => goJson(value ?? '');
const flag: Form = (value) => goJson(value ?? false);
const pointer: Form = (value) => goJson(value ?? null);
const none: Form = () => 'null';
const empty: Form = () => '""';
const list =
  (form: Form): Form =>
  (value) =>
    value === undefined ? 'null' : `[${arrayOr(value).map(form).join(',')}]`;
const optional =
  (form: Form): Form =>
  (value) =>
    value === undefined || value === null ? 'null' : form(value);
const mapOf =
  (form: Form): Form =>
  (value) => {
    if (value === undefined) return 'null';
    const entries = Object.entries(objectOr(value)).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${goJson(key)}:${form(item)}`).join(',')}}`;
  };
/** Fields in Go's order: name in Go, name in JSON, form. */
const struct =
  (...fields: readonly (readonly [string, string, Form])[]): Form =>
  (value) =>
    `{${fields.map(([name, key, form]) => `"${name}":${form(objectOr(value)[key])}`).join(',')}}`;

const rule = struct(
  ['Rule', 'rule', text],
  ['Message', 'message', text],
  ['MessageExpression', 'messageExpression', text],
  ['Reason', 'reason', pointer],
  ['FieldPath', 'fieldPath', text],
  ['OptionalOldSelf', 'optionalOldSelf', pointer],
);
/** JSONSchemaProps: its fields name itself, so they are made when they are asked for. */
const schema: Form = (value) => schemaFields(value);
const schemaOrBool: Form = (value) =>
  `{"Allows":${isObject(value) || value === true},"Schema":${isObject(value) ? schema(value) : 'null'}}`;

const SCHEMA_FIELDS: readonly (readonly [string, string, Form])[] = [
  ['ID', 'id', empty],
  ['Schema', '$schema', empty],
  ['Ref', '$ref', none],
  ['Description', 'description', text],
  ['Type', 'type', text],
  ['Nullable', 'nullable', flag],
  ['Format', 'format', text],
  ['Title', 'title', text],
  ['Default', 'default', pointer],
  ['Maximum', 'maximum', pointer],
  ['ExclusiveMaximum', 'exclusiveMaximum', flag],
  ['Minimum', 'minimum', pointer],
  ['ExclusiveMinimum', 'exclusiveMinimum', flag],
  ['MaxLength', 'maxLength', pointer],
  ['MinLength', 'minLength', pointer],
  ['Pattern', 'pattern', text],
  ['MaxItems', 'maxItems', pointer],
  ['MinItems', 'minItems', pointer],
  ['UniqueItems', 'uniqueItems', flag],
  ['MultipleOf', 'multipleOf', pointer],
  ['Enum', 'enum', pointer],
  ['MaxProperties', 'maxProperties', pointer],
  ['MinProperties', 'minProperties', pointer],
  ['Required', 'required', pointer],
  ['Items', 'items', optional((value) => `{"Schema":${schema(value)},"JSONSchemas":null}`)],
  ['AllOf', 'allOf', list(schema)],
  ['OneOf', 'oneOf', list(schema)],
  ['AnyOf', 'anyOf', list(schema)],
  ['Not', 'not', optional(schema)],
  ['Properties', 'properties', mapOf(schema)],
  ['AdditionalProperties', 'additionalProperties', optional(schemaOrBool)],
  ['PatternProperties', 'patternProperties', none],
  ['Dependencies', 'dependencies', none],
  ['AdditionalItems', 'additionalItems', none],
  ['Definitions', 'definitions', none],
  ['ExternalDocs', 'externalDocs', optional(struct(['Description', 'description', text], ['URL', 'url', text]))],
  ['Example', 'example', pointer],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', pointer],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', flag],
  ['XIntOrString', 'x-kubernetes-int-or-string', flag],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', pointer],
  ['XListType', 'x-kubernetes-list-type', pointer],
  ['XMapType', 'x-kubernetes-map-type', pointer],
  ['XValidations', 'x-kubernetes-validations', list(rule)],
];
const schemaFields = struct(...SCHEMA_FIELDS);

/** What a schema may hold at all. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(SCHEMA_FIELDS.map(([, keyword]) => keyword));
const column = struct(
  ['Name', 'name', text],
  ['Type', 'type', text],
  ['Format', 'format', text],
  ['Description', 'description', text],
  ['Priority', 'priority', (value) => goJson(value ?? 0)],
  ['JSONPath', 'jsonPath', text],
);
const version = struct(
  ['Name', 'name', text],
  ['Served', 'served', flag],
  ['Storage', 'storage', flag],
  ['Deprecated', 'deprecated', flag],
  ['DeprecationWarning', 'deprecationWarning', pointer],
  ['Schema', 'schema', optional(struct(['OpenAPIV3Schema', 'openAPIV3Schema', optional(schema)]))],
  [
    'Subresources',
    'subresources',
    optional(
      struct(
        ['Status', 'status', optional(() => '{}')],
        [
          'Scale',
          'scale',
          optional(
            struct(
              ['SpecReplicasPath', 'specReplicasPath', text],
              ['StatusReplicasPath', 'statusReplicasPath', text],
              ['LabelSelectorPath', 'labelSelectorPath', pointer],
            ),
          ),
        ],
      ),
    ),
  ],
  ['AdditionalPrinterColumns', 'additionalPrinterColumns', list(column)],
  ['SelectableFields', 'selectableFields', list(struct(['JSONPath', 'jsonPath', text]))],
);

/**
 * Parts of a CustomResourceDefinition as errors show them, as JSON text: kube-apiserver judges its internal types, whose
 * fields have their Go names and are all written.
 */
export const internalForm = {
  rule: (value: Json | undefined) => rule(value),
  schema: (value: Json | undefined) => schema(value),
  versions: (versions: readonly JsonObject[]) => list(version)([...versions]),
};
