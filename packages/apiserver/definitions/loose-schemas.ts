import { arrayOr, at, isObject, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { badRequest } from '../status.ts';
import { SCHEMA_KEYWORDS } from './internal-form.ts';

/**
 * Decodes what Go reads with code of its own, in place: `items` and `additionalProperties`, and the schemas below, whose
 * unknown keywords go without a word. Throws 400.
 */
export function decodeLooseSchemas(definition: ApiObject): void {
  for (const version of arrayOr(at(definition, 'spec', 'versions'))) decode(at(version, 'schema', 'openAPIV3Schema'));
}

function decode(schema: Json | undefined): void {
  if (!isObject(schema)) return;
  for (const key of Object.keys(schema)) if (!SCHEMA_KEYWORDS.has(key)) Reflect.deleteProperty(schema, key);
  decodeItems(schema);
  for (const key of ['additionalProperties', 'additionalItems']) {
    const value = schema[key];
    if (value !== undefined && typeof value !== 'boolean' && !isObject(value))
      throw badRequest('boolean or JSON schema expected');
    decode(value);
  }
  for (const key of ['properties', 'patternProperties', 'definitions']) {
    const parts = schema[key];
    if (isObject(parts)) Object.values(parts).forEach(decode);
  }
  for (const key of ['allOf', 'anyOf', 'oneOf']) arrayOr(schema[key]).forEach(decode);
  decode(schema['not']);
}

/** Anything but a schema or a list of schemas is none at all. */
function decodeItems(schema: JsonObject): void {
  const { items } = schema;
  if (Array.isArray(items)) items.forEach(decode);
  else if (isObject(items)) decode(items);
  else Reflect.deleteProperty(schema, 'items');
}
