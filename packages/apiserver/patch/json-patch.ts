import jsonPatch, { type Operation } from 'fast-json-patch';
import { clone, isObject, type Json, type JsonObject } from '../json.ts';
import { badRequest, StatusError } from '../status.ts';

const MAX_OPERATIONS = 10_000;
/** Bytes of JSON that the copies of one patch may add: each copy can double the document. */
const MAX_COPIED = 3 * 1024 * 1024;

/** The operations of a patch. Throws 400 if it is not a list of operations. */
export function jsonPatchOperations(patch: Json): JsonObject[] {
  if (patch === null) return [];
  if (!Array.isArray(patch) || !patch.every(isOperation)) throw badRequest('a JSON patch must be a list of operations');
  return patch;
}

/**
 * Applies an RFC 6902 patch; `object` is not changed. Throws 413 for too many operations, and 422 if an operation does
 * not apply: kube-apiserver does not give the reason either.
 */
export function applyJsonPatch(object: JsonObject, operations: readonly JsonObject[]): Json {
  if (operations.length > MAX_OPERATIONS) {
    throw new StatusError(
      413,
      'RequestEntityTooLarge',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  let document: Json = clone(object);
  let copied = 0;
  for (const operation of operations) {
    const { op, path, from } = operation;
    if (isTestOfMissing(document, operation)) continue;
    if (op === 'copy' || op === 'move') {
      const value = read(document, from);
      if (op === 'copy') copied += JSON.stringify(value).length;
      if (copied > MAX_COPIED) throw rejected();
      if (op === 'move') document = apply(document, { op: 'remove', path: from });
      document = apply(document, { op: 'add', path, value: clone(value) });
    } else {
      document = apply(document, operation);
    }
  }
  return document;
}

function isOperation(operation: Json): operation is JsonObject {
  return isObject(operation) && ['op', 'path', 'from'].every((key) => isTextOrAbsent(operation[key]));
}

function isTextOrAbsent(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string';
}

function read(document: Json, path: Json | undefined): Json {
  const get = { op: '_get', path };
  apply(document, get, ['_get']);
  return (get as JsonObject)['value'] ?? null;
}

/** Applies one operation. Not for `copy` and `move`: the library does not validate their paths. */
function apply(document: Json, operation: JsonObject, known = ['add', 'remove', 'replace', 'test']): Json {
  const { op, path } = operation;
  if (typeof op !== 'string' || !known.includes(op) || typeof path !== 'string' || isInherited(path)) throw rejected();
  try {
    return jsonPatch.applyOperation(document, operation as unknown as Operation, true).newDocument;
  } catch (error) {
    if (error instanceof jsonPatch.JsonPatchError) throw rejected();
    throw error;
  }
}

/** Whether the operation tests that a member is null and the member is missing: a success for kube-apiserver. */
function isTestOfMissing(document: Json, { op, path, value }: JsonObject): boolean {
  if (op !== 'test' || value !== null || typeof path !== 'string' || path === '') return false;
  const end = path.lastIndexOf('/');
  const parent = end === 0 ? document : read(document, path.slice(0, end));
  return isObject(parent) && !Object.hasOwn(parent, jsonPatch.unescapePathComponent(path.slice(end + 1)));
}

/** Whether a path leads through a member that all JavaScript objects have, for example `constructor`. */
function isInherited(path: string): boolean {
  return path.split('/').some((key) => jsonPatch.unescapePathComponent(key) in Object.prototype);
}

function rejected(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
