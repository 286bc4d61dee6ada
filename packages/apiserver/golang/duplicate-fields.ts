import { isObject, type Json } from '../json.ts';
import type { ParsedJson } from './json-parser.ts';

/** The paths of keys that come more than once in one object, in the order in which Go's decoder meets them. */
export function duplicateFields({ value, repeated }: ParsedJson): string[] {
  if (repeated.size === 0) return [];
  const found: string[] = [];
  const walk = (here: Json | undefined, path: string): void => {
    if (Array.isArray(here)) {
      here.forEach((item, index) => {
        walk(item, `${path}[${index}]`);
      });
    } else if (isObject(here)) {
      const seen = new Set<string>();
      for (const [key, child] of repeated.get(here) ?? Object.entries(here)) {
        const field = path === '' ? key : `${path}.${key}`;
        if (seen.has(key)) found.push(field);
        seen.add(key);
        walk(child, field);
      }
    }
  };
  walk(value, '');
  return [...new Set(found)];
}
