import { clone, isObject, type Json, type JsonObject } from '../json.ts';
import { propertyOf, type Schema } from './schema.ts';

/** Fills in a structural schema's defaults, in place. A null of a field that is not nullable is replaced by the default. */
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

/** Removes nulls of fields that are neither nullable nor defaulted, in place: the API treats them as absent. */
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
