import { objectSchema } from './custom-resource-definition.ts';
import type { CustomResource } from './custom-resources.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The API reference of a kind, in Markdown: every field with its type, limits and description, and the rules. */
export function referenceOf(resource: CustomResource): string {
  const { group, version, kind, plural, namespaced } = resource.kind;
  const schema = objectSchema(resource);
  const parts = (['spec', 'status'] as const).map((name) => {
    const part = schema.properties?.[name];
    return part === undefined ? '' : `### \`${name}\`\n\n${sentence(part)}\n\n${table(part)}`;
  });
  return [
    `## ${kind}`,
    sentence(schema),
    [
      `- API version: \`${group}/${version}\``,
      `- Scope: ${namespaced ? 'namespaced' : 'cluster'}`,
      `- For kubectl: \`${plural}.${group}\`, ${resource.shortNames.map((name) => `\`${name}\``).join(', ')}`,
      `- Columns: ${resource.columns.map(({ name }) => name).join(', ')}`,
    ].join('\n'),
    ...parts,
    rulesOf(schema, '').join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Fields of core/v1 that are not expanded. */
const AS_IN_CORE = ['affinity', 'tolerations'];

interface Field {
  path: string;
  schema: StructuralSchema;
  required: boolean;
}

function table(schema: StructuralSchema): string {
  const rows = fieldsOf(schema, '').map(
    ({ path, schema: field, required }) =>
      `| \`${path}\` | ${typeOf(field)}${required ? ', required' : ''} | ${cell(field.description ?? '')} |`,
  );
  return ['| Field | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** All fields of a schema, each before its own fields. */
function fieldsOf(schema: StructuralSchema, prefix: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const field = { path, schema: property, required: schema.required?.includes(name) ?? false };
    if (AS_IN_CORE.includes(name)) return [field];
    const below = property.items === undefined ? property : property.items;
    return [field, ...fieldsOf(below, `${path}${property.items === undefined ? '' : '[]'}.`)];
  });
}

function typeOf(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'quantity';
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}${upTo(schema.maxItems)}`;
  if (schema.additionalProperties !== undefined) return `map to ${typeOf(schema.additionalProperties)}`;
  return `${schema.format ?? schema.type ?? ''}${rangeOf(schema)}`;
}

function rangeOf({ type, minimum, maximum, maxLength, format }: StructuralSchema): string {
  if (type === 'string') return format === undefined ? upTo(maxLength) : '';
  if (minimum === undefined && maximum === undefined) return '';
  if (maximum === undefined) return ` ≥ ${String(minimum)}`;
  return minimum === undefined ? ` ≤ ${maximum}` : ` ${minimum}–${maximum}`;
}

function upTo(limit: number | undefined): string {
  return limit === undefined ? '' : ` (≤ ${limit})`;
}

function rulesOf(schema: StructuralSchema, path: string): string[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(
    ({ rule, message }) => `- ${path === '' ? '' : `\`${path.slice(1)}\`: `}${message} (\`${rule}\`)`,
  );
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    rulesOf(property, `${path}.${name}`),
  );
  const items = schema.items === undefined ? [] : rulesOf(schema.items, `${path}[]`);
  const all = [...own, ...items, ...below];
  return path === '' && all.length > 0 ? ['### Rules', '', ...all] : all;
}

function sentence(schema: StructuralSchema): string {
  return schema.description ?? '';
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
