import { isObject, type Json, type JsonObject } from '../json.ts';

/**
 * RFC 7386: null removes, objects are merged, all else replaces. As the library that kube-apiserver uses does it, nulls go
 * too in what is new. What the patch does not touch is shared with `target`, which stays as it is.
 */
export function applyMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) Reflect.deleteProperty(result, key);
    else result[key] = merged(result[key] ?? null, value);
  }
  return result;
}

function merged(target: Json, patch: Json): Json {
  if (!isObject(target)) return withoutNulls(patch);
  return isObject(patch) ? applyMergePatch(target, patch) : patch;
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, child] of Object.entries(value)) {
    if (child !== null && child !== undefined) result[key] = withoutNulls(child);
  }
  return result;
}
