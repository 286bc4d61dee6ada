import jsonPatch from 'fast-json-patch';
import { clone, isObject, type Json, type JsonObject } from '../json.ts';
import { badRequest, StatusError } from '../status.ts';

const MAX_OPERATIONS = 10_000;

/** RFC 6902. Throws 400 for what is no patch, 422 where it does not apply, in kube-apiserver's words. */
export function applyJsonPatch(object: JsonObject, patch: Json): JsonObject {
  if (!Array.isArray(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${isObject(patch) ? 'object' : typeof patch} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (patch.length > MAX_OPERATIONS) {
    throw new StatusError(
      413,
      'RequestEntityTooLarge',
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    );
  }
  let result = clone(object);
  for (const raw of patch) {
    const operation = asOperation(raw, result);
    if (operation === undefined) continue;
    try {
      result = jsonPatch.applyOperation(result, operation, true, true).newDocument;
    } catch (cause) {
      // The real server keeps the reason to itself too.
      throw Object.assign(
        new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {}),
        { cause },
      );
    }
  }
  return result;
}

/** The operation with the leniencies of the library that kube-apiserver uses; undefined for one that does nothing. */
function asOperation(raw: Json, document: JsonObject): jsonPatch.Operation | undefined {
  if (!isObject(raw))
    throw badRequest('error decoding patch: json: cannot unmarshal value into Go value of type handlers.jsonPatchOp');
  // fast-json-patch checks the members itself and throws where one is missing.
  const operation = raw as unknown as jsonPatch.Operation;
  if (operation.op === 'replace' && isAbsent(document, operation.path)) return { ...operation, op: 'add' };
  if (operation.op === 'test' && operation.value === null && isAbsent(document, operation.path)) return undefined;
  return operation;
}

function isAbsent(document: JsonObject, path: unknown): boolean {
  if (typeof path !== 'string' || path === '') return false;
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => jsonPatch.unescapePathComponent(key));
  const last = keys.pop() ?? '';
  let here: Json | undefined = document;
  for (const key of keys) here = Array.isArray(here) ? here[Number(key)] : isObject(here) ? here[key] : undefined;
  return isObject(here) && !Object.hasOwn(here, last);
}
