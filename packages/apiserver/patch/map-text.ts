import { isObject, type Json } from '../json.ts';

/** A value as Go's `%+v` shows it: `map[a:1 b:[x y]]`. */
export function mapText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(mapText).join(' ')}]`;
  if (!isObject(value)) return value === null || value === undefined ? '<nil>' : String(value);
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `map[${keys.map((key) => `${key}:${mapText(value[key])}`).join(' ')}]`;
}
