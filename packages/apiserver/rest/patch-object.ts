import { clone, isObject, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, jsonPatchOperations } from '../patch/index.ts';
import type { Resource } from '../resources/index.ts';
import { fieldErrors, type Schema } from '../schema/index.ts';
import { badRequest, invalid, StatusError, unsupportedMediaType } from '../status.ts';
import { decodeValue } from './decode-object.ts';
import type { RequestBody } from './request-body.ts';
import type { WriteRequest } from './write-request.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Throws 415 for a patch of a kind that the resource does not take. */
export function checkPatchType({ type }: RequestBody, isCustom: boolean): void {
  const known = [JSON_PATCH, MERGE_PATCH, ...(isCustom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH];
  if (!known.includes(type)) throw unsupportedMediaType(known);
}

/** The object that a JSON, merge or strategic merge patch makes of `current`, decoded. Throws a StatusError. */
export function patchObject(body: RequestBody, current: ApiObject, request: WriteRequest, metadata: Schema): ApiObject {
  const value = patched(body, current, request.resource);
  try {
    return decodeValue(isObject(value) ? clone(value) : {}, request, metadata);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    throw invalid({ group: '', kind: '' }, '', [fieldErrors.invalid('patch', value, error.message)]);
  }
}

function patched(body: RequestBody, current: ApiObject, resource: Resource): Json {
  const patch = body.parse();
  switch (body.type) {
    case JSON_PATCH:
      return applyJsonPatch(current, jsonPatchOperations(patch));
    case MERGE_PATCH:
      return applyMergePatch(current, asMap(patch));
    default: {
      // Which kind of object it is, this patch cannot change.
      const { apiVersion, kind } = current;
      const map = patch === null ? {} : asMap(patch);
      return { ...applyStrategicMergePatch(current, map, resource.schema), apiVersion, kind };
    }
  }
}

function asMap(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw badRequest('a merge patch must be an object');
}
