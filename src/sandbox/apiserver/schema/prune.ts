import { isObject, type Json, type JsonObject } from '../json.ts';
import { fieldPath, propertyOf, type Schema } from './schema.ts';

const ROOT_FIELDS = ['apiVersion', 'kind', 'metadata'];

/**
 * Removes from a custom resource the fields that its structural schema does not know, in place, and returns their paths.
 * `metadata` is left alone: it has a schema of its own.
 */
export function prune(object: JsonObject, schema: Schema): string[] {
  const unknown: string[] = [];
  pruneObject(object, schema, '', true, unknown);
  return unknown;
}

function pruneValue(value: Json | undefined, schema: Schema, path: string, unknown: string[]): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined)
      value.forEach((item, index) => {
        pruneValue(item, items, `${path}[${index}]`, unknown);
      });
  } else if (isObject(value)) {
    pruneObject(value, schema, path, schema['x-kubernetes-embedded-resource'] === true, unknown);
  }
}

function pruneObject(object: JsonObject, schema: Schema, path: string, resource: boolean, unknown: string[]): void {
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  for (const key of Object.keys(object)) {
    if (resource && ROOT_FIELDS.includes(key)) continue;
    const property = propertyOf(schema, key);
    if (property !== undefined) {
      pruneValue(object[key], property, fieldPath(path, key), unknown);
    } else if (!preserve) {
      unknown.push(fieldPath(path, key));
      Reflect.deleteProperty(object, key);
    }
  }
}
