import { isObject, type Json, type JsonObject } from '../json.ts';
import { goJson, propertyOf, type Schema } from '../schema/index.ts';

/**
 * A patched object of a built-in kind as the real server shows it in errors: what the patch has touched has its keys in
 * alphabetical order, what it has left alone is as Go had written it.
 */
export function patchedText(patched: Json, original: JsonObject, schema: Schema): string {
  const untouched = new Set<Json>();
  collect(original, untouched);
  const text = (value: Json, of: Schema): string => {
    if (Array.isArray(value)) return `[${value.map((item) => text(item, of.items ?? {})).join(',')}]`;
    if (!isObject(value)) return goJson(value);
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    const order = untouched.has(value) ? Object.keys(of.properties ?? {}) : [];
    const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
    keys.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
    const fields = keys.map((key) => `${goJson(key)}:${text(value[key] ?? null, propertyOf(of, key) ?? {})}`);
    return `{${fields.join(',')}}`;
  };
  return text(patched, schema);
}

function collect(value: Json | undefined, into: Set<Json>): void {
  if (value === undefined || value === null || typeof value !== 'object') return;
  into.add(value);
  for (const child of Array.isArray(value) ? value : Object.values(value)) collect(child, into);
}
