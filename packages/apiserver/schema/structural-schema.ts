import { isObject, type Json, type JsonObject, clone } from '../json.ts';
import { fieldPath, type Schema, propertyOf } from './schema.ts';

const ROOT_FIELDS = ['apiVersion', 'kind', 'metadata'];
/** Stands in for a missing schema: prunes all fields. */
const NOTHING: Schema = {};

/**
 * Prunes a custom resource: removes the fields that are not in its structural schema, in place. Returns their sorted
 * paths. Does not change `metadata`, which has another schema.
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
      // `additionalProperties: true` keeps the key, and prunes everything below it.
      const below = typeof additionalProperties === 'object' ? additionalProperties : NOTHING;
      visit(object[key], below, here, unknown, false);
    } else if (!isPreserved) {
      unknown.push(here);
      Reflect.deleteProperty(object, key);
    }
  }
}

/** Sets the defaults of a structural schema, in place. A default replaces null if the field is not nullable. */
export function setDefaults(value: Json | undefined, schema: Schema): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    value.forEach((item, index) => {
      if (item === null && items.nullable !== true && items.default !== undefined) value[index] = clone(items.default);
      setDefaults(value[index], items);
    });
    return;
  }
  if (!isObject(value)) return;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && isMissing(value, key, property)) value[key] = clone(property.default);
  }
  for (const key of Object.keys(value)) {
    const property = propertyOf(schema, key);
    if (property !== undefined) setDefaults(value[key], property);
  }
}

function isMissing(object: JsonObject, key: string, property: Schema): boolean {
  return object[key] === undefined || (object[key] === null && property.nullable !== true);
}

/** Removes nulls of fields that are not nullable, in place, after `setDefaults`: the API treats them as absent. */
export function dropNulls(value: Json | undefined, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) dropNulls(item, schema.items);
    return;
  }
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const property = propertyOf(schema, key);
    if (property === undefined) continue;
    if (value[key] === null && property.nullable !== true) Reflect.deleteProperty(value, key);
    else dropNulls(value[key], property);
  }
}
