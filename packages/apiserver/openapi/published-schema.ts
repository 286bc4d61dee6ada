import { isObject, type Json } from '../json.ts';

/** A part of a CustomResourceDefinition's schema as it is published: readers of OpenAPI know of no "integer or string". */
export function publishedSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(publishedSchema);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => [
    key,
    // What stands there is data, whatever it looks like.
    key === 'default' || key === 'example' || key === 'enum' ? (value ?? null) : publishedSchema(value ?? null),
  ]);
  const copy = Object.fromEntries(entries);
  if (schema['x-kubernetes-int-or-string'] !== true || schema['anyOf'] !== undefined) return copy;
  return { ...copy, anyOf: [{ type: 'integer' }, { type: 'string' }] };
}
