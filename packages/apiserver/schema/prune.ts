import { isObject, type Json, type JsonObject } from '../json.ts';
import { fieldPath, type Schema } from './schema.ts';

const ROOT_FIELDS = ['apiVersion', 'kind', 'metadata'];
/** The schema of a value without one: all its fields are removed. */
const NOTHING: Schema = {};

/**
 * Removes from a custom resource the fields that its structural schema does not know, in place, and returns their paths
 * in alphabetical order. `metadata` is left alone: it has a schema of its own.
 */
export function prune(object: JsonObject, schema: Schema): string[] {
  const unknown: string[] = [];
  pruneObject(object, schema, '', true, unknown);
  return unknown.sort((a, b) => (a < b ? -1 : 1));
}

/** `preserve`: the list that contains the value preserves unknown fields. */
function visit(value: Json | undefined, schema: Schema, path: string, unknown: string[], preserve: boolean): void {
  const isPreserved = preserve || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined && isPreserved) return;
    value.forEach((item, index) => {
      visit(item, items ?? NOTHING, `${path}[${index}]`, unknown, isPreserved);
    });
  } else if (isObject(value)) {
    const isResource = schema['x-kubernetes-embedded-resource'] === true;
    pruneObject(value, schema, path, isResource, unknown, isPreserved);
  }
}

function pruneObject(
  object: JsonObject,
  schema: Schema,
  path: string,
  isResource: boolean,
  unknown: string[],
  isPreserved = schema['x-kubernetes-preserve-unknown-fields'] === true,
): void {
  const { properties = {}, additionalProperties } = schema;
  for (const key of Object.keys(object)) {
    if (isResource && ROOT_FIELDS.includes(key)) continue;
    const here = fieldPath(path, key);
    if (Object.hasOwn(properties, key)) {
      visit(object[key], properties[key] ?? NOTHING, here, unknown, false);
    } else if (additionalProperties !== undefined) {
      // `additionalProperties: true` keeps the key, and prunes all below it.
      const below = typeof additionalProperties === 'object' ? additionalProperties : NOTHING;
      visit(object[key], below, here, unknown, false);
    } else if (!isPreserved) {
      unknown.push(here);
      Reflect.deleteProperty(object, key);
    }
  }
}
