/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, or an empty object: for reading optional parts without a chain of checks. */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value if it is an array, or an empty array. */
export function arrayOr(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

/** The value if it is a string, or ''. */
export function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The value at `path`, or undefined. */
export function at(value: unknown, ...path: string[]): Json | undefined {
  let here = value;
  for (const key of path) {
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here as Json | undefined;
}

/**
 * A deep copy. `__proto__` keys are left out: assigning one would change the prototype of the copy. Lone surrogates are
 * replaced, because UTF-8 cannot encode them.
 */
export function clone<T extends Json | undefined>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (Array.isArray(value)) return value.map((item) => clone(item)) as T;
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) if (key !== '__proto__') copy[key] = clone(value[key]);
  return copy as T;
}

/** Deep equality; a key whose value is undefined counts as absent. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  for (const key of Object.keys(a)) if (!equal(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}

/** Parses JSON text. Drops `__proto__` keys. @throws SyntaxError */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  return /__proto__|\\u/.test(text) ? clone(value) : value;
}

/** JSON text with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, part: Json) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
