import { clone, isObject, type Json } from '../json.ts';

/** RFC 7386: null removes, objects are merged, all else replaces. */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return clone(patch);
  const result = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else if (value !== undefined) result[key] = applyMergePatch(result[key], value);
  }
  return result;
}
