import { duplicateFields, type ParsedJson } from '../golang/index.ts';
import { clone, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  jsonPatchOperations,
  mapText,
  patchedText,
  unknownMembers,
} from '../patch/index.ts';
import { apiVersionOf, BUILTIN_KINDS, type Resource } from '../resources/index.ts';
import { fieldErrors, goJson, type Schema } from '../schema/index.ts';
import { badRequest, invalid, StatusError } from '../status.ts';
import { forgetsOwners, judge, normalise, unregistered } from './decode-object.ts';
import { JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH } from './patch-types.ts';
import type { RequestBody } from './request-body.ts';
import type { WriteRequest } from './write-request.ts';

interface Patched {
  readonly value: Json;
  /** As an error shows it. */
  readonly text: () => string;
  /** What strict decoding says of the patch itself. */
  readonly complaints: readonly string[];
}

/** The object that a JSON, merge or strategic merge patch makes of `current`, decoded. Throws a StatusError. */
export function patchObject(body: RequestBody, current: ApiObject, request: WriteRequest, metadata: Schema): ApiObject {
  const { resource } = request;
  const { value, text, complaints } = patched(body, current, resource);
  const object = isObject(value) ? clone(value) : {};
  try {
    checkKind(object, resource, text);
    if (resource.custom) object['metadata'] ??= {};
    const own = normalise(object, resource, metadata, body.type === STRATEGIC_PATCH ? 'converted' : undefined);
    if (forgetsOwners(value, resource)) objectOr(object['metadata'])['managedFields'] = [];
    judge({ yaml: [], json: [...complaints, ...own] }, request);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    const problem = body.type === STRATEGIC_PATCH ? undefined : firstProblem(text(), resource, metadata);
    throw invalid({ group: '', kind: '' }, '', [fieldErrors.invalid('patch', text(), problem ?? error.message)]);
  }
  // The kind was checked, and metadata has been decoded by its schema.
  return object as ApiObject;
}

/** Of several values that do not fit, the one that Go comes to first in the text that it reads. */
function firstProblem(text: string, resource: Resource, metadata: Schema): string | undefined {
  const object = JSON.parse(text) as Json; // what was patched, written anew
  if (resource.custom || !isObject(object)) return undefined;
  try {
    normalise(object, resource, metadata);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

function patched(body: RequestBody, current: ApiObject, resource: Resource): Patched {
  switch (body.type) {
    case JSON_PATCH:
      return jsonPatched(body, current, resource);
    case MERGE_PATCH:
      return mergePatched(body, current, resource);
    default:
      return strategicPatched(body, current, resource);
  }
}

function jsonPatched(body: RequestBody, current: ApiObject, resource: Resource): Patched {
  const parsed = parse(body, 'error decoding patch: ');
  const operations = jsonPatchOperations(parsed.value);
  const complaints = [...duplicates(parsed), ...unknownMembers(operations)].map((text) => `json patch ${text}`);
  const value = applyJsonPatch(current, operations);
  return { value, text: () => shown(value, current, resource), complaints };
}

function mergePatched(body: RequestBody, current: ApiObject, resource: Resource): Patched {
  const parsed = parse(body, 'error decoding patch: ');
  if (parsed.value === null) throw badRequest('Invalid JSON Patch');
  const value = applyMergePatch(current, asMap(parsed.value, 'error decoding patch: '));
  return { value, text: () => shown(value, current, resource), complaints: duplicates(parsed) };
}

function strategicPatched(body: RequestBody, current: ApiObject, resource: Resource): Patched {
  const parsed = parse(body, '');
  const patch = parsed.value === null ? {} : asMap(parsed.value, '');
  // Which kind of object it is, this patch cannot change.
  const { apiVersion, kind } = current;
  const value = { ...applyStrategicMergePatch(current, patch, resource.schema), apiVersion, kind };
  return { value, text: () => mapText(patch), complaints: duplicates(parsed) };
}

function parse(body: RequestBody, prefix: string): ParsedJson {
  try {
    return body.parse();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`${prefix}${error.message}`);
  }
}

function asMap(value: Json, prefix: string): JsonObject {
  if (isObject(value)) return value;
  const word = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw badRequest(`${prefix}json: cannot unmarshal ${word} into Go value of type map[string]interface {}`);
}

function duplicates(parsed: ParsedJson): string[] {
  return duplicateFields(parsed).map((field) => `duplicate field ${JSON.stringify(field)}`);
}

function shown(value: Json, current: ApiObject, resource: Resource): string {
  return resource.custom ? goJson(value) : patchedText(value, current, resource.schema);
}

/** What calls itself another kind can be decoded only where there is such a kind. */
function checkKind(object: JsonObject, resource: Resource, text: () => string): void {
  if (resource.custom) {
    if (textOr(object['kind']) === '') throw badRequest(`Object 'Kind' is missing in '${text()}'`);
    return;
  }
  const apiVersion = textOr(object['apiVersion']) || apiVersionOf(resource);
  const kind = textOr(object['kind']) || resource.kind;
  Object.assign(object, { apiVersion, kind });
  if (apiVersion === apiVersionOf(resource) && kind === resource.kind) return;
  const isKnown = BUILTIN_KINDS.some((other) => apiVersionOf(other) === apiVersion && other.kind === kind);
  throw badRequest(
    isKnown ? `unable to decode ${apiVersion}, Kind=${kind} into a ${resource.kind}` : unregistered(apiVersion, kind),
  );
}
