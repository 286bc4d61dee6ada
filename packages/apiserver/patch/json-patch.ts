import { equal, isObject, type Json, type JsonObject } from '../json.ts';
import { badRequest, StatusError } from '../status.ts';

const MAX_OPERATIONS = 10_000;

/**
 * RFC 6902 with the leniencies of the library that kube-apiserver uses. What an operation does not touch is shared with
 * `object`, which stays as it is. Throws 413, and 422 where the patch does not apply: the real server does not say why
 * either.
 */
export function applyJsonPatch(object: JsonObject, operations: readonly Json[]): Json {
  if (operations.length > MAX_OPERATIONS) {
    throw new StatusError(
      413,
      'RequestEntityTooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  return operations.reduce<Json>(
    (document, operation) => apply(document, isObject(operation) ? operation : {}),
    object,
  );
}

/** The operations of a patch. Throws 400 where they are none. */
export function jsonPatchOperations(patch: Json): Json[] {
  if (patch === null) return [];
  if (!Array.isArray(patch) || !patch.every(isOperation)) throw badRequest('a JSON patch must be a list of operations');
  return patch;
}

function isOperation(operation: Json): boolean {
  if (!isObject(operation)) return operation === null;
  return ['op', 'path', 'from'].every((key) => ['string', 'undefined'].includes(typeof operation[key]));
}

function apply(document: Json, operation: JsonObject): Json {
  const path = textOf(operation, 'path');
  // A value that is not there is no error: it is null.
  const value = operation['value'] ?? null;
  switch (operation['op']) {
    case 'add':
      return change(document, path, (parent, key) => added(parent, key, value));
    case 'remove':
      return change(document, path, removed);
    case 'replace':
      if (path === '' && (isObject(value) || Array.isArray(value))) return value;
      return change(document, path, (parent, key) => replaced(parent, key, value));
    case 'test':
      if (!equal(path === '' ? document : read(document, path), value)) throw rejected();
      return document;
    case 'copy': {
      const from = textOf(operation, 'from');
      return change(document, path, (parent, key) => added(parent, key, read(document, from)));
    }
    case 'move': {
      const from = textOf(operation, 'from');
      const moved = read(document, from);
      return change(change(document, from, removed), path, (parent, key) => added(parent, key, moved));
    }
    default:
      throw rejected();
  }
}

function textOf(operation: JsonObject, key: string): string {
  const value = operation[key];
  if (typeof value !== 'string') throw rejected();
  return value;
}

type Parent = Json[] | JsonObject;

/** The document with another parent of what `path` names; only those on the way to it are new. */
function change(document: Json, path: string, edit: (parent: Parent, key: string) => Parent): Json {
  const keys = keysOf(path);
  const last = keys.pop() ?? '';
  const descend = (here: Json, depth: number): Json => {
    const key = keys[depth];
    if (!isObject(here) && !Array.isArray(here)) throw rejected();
    if (key === undefined) return edit(here, last);
    return replaced(here, key, descend(child(here, key), depth + 1));
  };
  return descend(document, 0);
}

function read(document: Json, path: string): Json {
  return keysOf(path).reduce<Json>((here, key, index, keys) => {
    if (!isObject(here) && !Array.isArray(here)) throw rejected();
    const found = child(here, key);
    if (found === null && index < keys.length - 1) throw rejected();
    return found;
  }, document);
}

function keysOf(path: string): string[] {
  const [, ...keys] = path.split('/');
  if (keys.length === 0) throw rejected();
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function child(parent: Parent, key: string): Json {
  if (!Array.isArray(parent)) return Object.hasOwn(parent, key) ? (parent[key] ?? null) : null;
  return parent[indexOf(key, parent.length - 1, parent.length)] ?? null;
}

function added(parent: Parent, key: string, value: Json): Parent {
  if (!Array.isArray(parent)) return withKey(parent, key, value);
  if (key === '-') return [...parent, value];
  return parent.toSpliced(indexOf(key, parent.length, parent.length + 1), 0, value);
}

function removed(parent: Parent, key: string): Parent {
  if (Array.isArray(parent)) return parent.toSpliced(indexOf(key, parent.length - 1, parent.length), 1);
  if (!Object.hasOwn(parent, key)) throw rejected();
  const { [key]: _gone, ...rest } = parent;
  return rest;
}

function replaced(parent: Parent, key: string, value: Json): Parent {
  if (!Array.isArray(parent)) return withKey(parent, key, value);
  return parent.with(indexOf(key, parent.length - 1, parent.length), value);
}

function withKey(parent: JsonObject, key: string, value: Json): JsonObject {
  // Assigning this one would change the object's prototype.
  return key === '__proto__' ? parent : { ...parent, [key]: value };
}

/** Below zero counts from the end, as this library has it. */
function indexOf(key: string, most: number, size: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw rejected();
  const index = Number(key);
  if (index > most || index < -size) throw rejected();
  return index < 0 ? index + size : index;
}

function rejected(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
