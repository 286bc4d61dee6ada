type Path = readonly (string | number)[];

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
  required?: string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  minimum?: number;
  maximum?: number;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
}

/** A constraint of a schema, and an object that violates it (and possibly others). */
export interface Violation {
  readonly keyword: string;
  readonly part: 'spec' | 'status';
  readonly object: object;
  /** `reason field: message` of the API server. */
  readonly cause: string;
}

/**
 * Violations of each keyword in a schema except CEL rules: one in `spec` and one in `status`. By keyword, in
 * alphabetical order.
 */
export function violations(root: object): [keyword: string, samples: Violation[]][] {
  const { spec = {}, status = {} } = (root as Schema).properties ?? {};
  const found: Violation[] = [];
  visit(spec, ['spec'], found);
  for (const [name, property] of Object.entries(status.properties ?? {})) visit(property, ['status', name], found);
  const samples = new Map<string, Violation[]>();
  for (const violation of found) {
    const known = samples.get(violation.keyword) ?? [];
    if (known.some(({ part }) => part === violation.part)) continue;
    samples.set(violation.keyword, [...known, violation]);
  }
  return [...samples].sort(([a], [b]) => (a < b ? -1 : 1));
}

function visit(schema: Schema, path: Path, found: Violation[]): void {
  found.push(...ofSchema(schema, path));
  for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, [...path, name], found);
  if (schema.items !== undefined) visit(schema.items, [...path, 0], found);
  if (schema.additionalProperties !== undefined) visit(schema.additionalProperties, [...path, 'key'], found);
}

function ofSchema(schema: Schema, path: Path): Violation[] {
  const field = fieldOf(path);
  // Errors of a status update contain paths below `status`.
  const name = path[0] === 'status' ? field.replace(/^status\./, '') : field;
  const violation = (keyword: string, value: unknown, reason: string, message: string, where = field): Violation => ({
    keyword,
    part: path[0] === 'status' ? 'status' : 'spec',
    object: nested(path, value) as object,
    cause: `${reason} ${where}: ${message}`,
  });
  const invalid = (keyword: string, value: unknown, problem: string, shown: unknown = value): Violation =>
    violation(
      keyword,
      value,
      'FieldValueInvalid',
      `Invalid value: ${JSON.stringify(shown)}: ${name} in body ${problem}`,
    );
  const typed = (keyword: string, value: unknown, wanted: string, actual: string): Violation => {
    const message = `Invalid value: "${actual}": ${name} in body must be of type ${wanted}: "${actual}"`;
    return violation(keyword, value, 'FieldValueTypeInvalid', message);
  };
  const tooMany = (size: number, most: number) => `Too many: ${size}: must have at most ${most} items`;

  const all: Violation[] = [];
  const { minLength, maxLength, minItems, maxItems, maxProperties, minimum, maximum, format, pattern } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) all.push(typed('int-or-string', {}, 'integer,string', 'object'));
  // With a format, the message contains the format instead of the type.
  else if (schema.type === 'string') {
    if (!isEnforced(format)) all.push(typed('type string', {}, 'string', 'object'));
  } else if (schema.type !== undefined) all.push(typed(`type ${schema.type}`, 'text', schema.type, 'string'));
  for (const key of schema.required ?? [])
    all.push(violation('required', {}, 'FieldValueRequired', 'Required value', fieldOf([...path, key])));
  if (schema.enum !== undefined) {
    const value = schema.type === 'integer' ? 987 : 'no such choice';
    const choices = schema.enum.map((choice) => JSON.stringify(String(choice))).join(', ');
    const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${choices}`;
    all.push(violation('enum', value, 'FieldValueNotSupported', message));
  }
  if (format !== undefined && isEnforced(format))
    all.push(typed(`format ${format}`, 'no such thing', format, 'no such thing'));
  if (pattern !== undefined) all.push(invalid('pattern', ' ', `should match '${pattern}'`));
  if (minLength !== undefined) all.push(invalid('minLength', '', `should be at least ${minLength} chars long`));
  if (maxLength !== undefined) {
    const message = `Too long: may not be more than ${maxLength} bytes`;
    all.push(violation('maxLength', 'x'.repeat(maxLength + 1), 'FieldValueTooLong', message));
  }
  if (minItems !== undefined) all.push(invalid('minItems', [], `should have at least ${minItems} items`, 0));
  if (maxItems !== undefined) {
    const items = Array.from({ length: maxItems + 1 }, () => null);
    all.push(violation('maxItems', items, 'FieldValueTooMany', tooMany(items.length, maxItems)));
  }
  if (maxProperties !== undefined) {
    const value = Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, index) => [`k${index}`, '1']));
    all.push(violation('maxProperties', value, 'FieldValueTooMany', tooMany(maxProperties + 1, maxProperties)));
  }
  if (minimum !== undefined) all.push(invalid('minimum', minimum - 1, `should be greater than or equal to ${minimum}`));
  if (maximum !== undefined) all.push(invalid('maximum', maximum + 1, `should be less than or equal to ${maximum}`));
  return [...all, ...ofList(schema, path, violation)];
}

function ofList(
  { items, 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] }: Schema,
  path: Path,
  violation: (keyword: string, value: unknown, reason: string, message: string, where: string) => Violation,
): Violation[] {
  const second = fieldOf([...path, 1]);
  if (type === 'set') {
    const value = items?.type === 'integer' ? (items.enum?.[0] ?? 1) : 'same';
    const message = `Duplicate value: ${JSON.stringify(value)}`;
    return [violation('list-type set', [value, value], 'FieldValueDuplicate', message, second)];
  }
  if (type !== 'map') return [];
  const entries = keys.map((key): [string, unknown] => [
    key,
    items?.properties?.[key]?.type === 'integer' ? 1 : 'same',
  ]);
  const item = Object.fromEntries(entries.sort());
  const message = `Duplicate value: ${JSON.stringify(item)}`;
  return [violation('list-type map', [item, item], 'FieldValueDuplicate', message, second)];
}

/** Formats of numbers are not enforced. */
function isEnforced(format: string | undefined): boolean {
  return format !== undefined && !format.startsWith('int');
}

function fieldOf(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

function nested(path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  return typeof first === 'number' ? [nested(rest, value)] : { [first]: nested(rest, value) };
}
