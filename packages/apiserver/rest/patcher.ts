import { timestamp, type ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { conflict, notFound, badRequest, StatusError, invalid, unsupportedMediaType } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import { checkTarget } from './update-rules.ts';
import { settleApplied, decodeValue } from './decode-object.ts';
import type { RequestBody, WriteRequest } from './call.ts';
import type { ReviewedWriter } from './reviewed.ts';
import { managerOf } from './writer.ts';
import { typeErrors } from '../apply/structure.ts';
import { isObject, objectOr, textOr, type JsonObject, clone, type Json } from '../json.ts';
import { applyJsonPatch, jsonPatchOperations } from '../patch/json-patch.ts';
import { applyMergePatch, applyStrategicMergePatch } from '../patch/merge-patch.ts';
import { fieldErrors, type Schema } from '../schema/index.ts';

export interface Patched {
  object: ApiObject;
  created: boolean;
}

/** Answers PATCH for the four patch types of Kubernetes. */
export class Patcher {
  readonly #context: ApiContext;
  readonly #writer: ReviewedWriter;

  constructor(context: ApiContext, writer: ReviewedWriter) {
    this.#context = context;
    this.#writer = writer;
  }

  /** `current`: the stored object; undefined if there is none. Throws a StatusError. */
  async patch(request: WriteRequest, body: RequestBody, current: ApiObject | undefined): Promise<Patched> {
    const { resource, name = '' } = request;
    if (body.type === APPLY_PATCH) return await this.#apply(request, body, current);
    if (current === undefined) throw notFound(resource, name);
    const next = patchObject(body, current, request, this.#context.metadataSchema);
    checkTarget(request, next);
    return { object: await this.#writer.update(request, current, next), created: false };
  }

  async #apply(request: WriteRequest, body: RequestBody, current: ApiObject | undefined): Promise<Patched> {
    const { resource, name = '', subresource } = request;
    if (current === undefined && subresource !== undefined && !resource.createsOnUpdate) throw notFound(resource, name);
    const config = readApplyConfig(request, body);
    const live = current ?? blank(request);
    const now = timestamp(this.#context.clock.now());
    const merged = resource.fieldManager.apply(live, config, managerOf(request, 'Apply'), request.force, now);
    settleApplied(merged, resource, this.#context.metadataSchema);
    const { uid = '' } = merged.metadata;
    if (current === undefined && uid !== '') {
      throw conflict(
        resource,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    }
    checkTarget(request, merged);
    if (current === undefined) return { object: await this.#writer.create(request, merged, true), created: true };
    return { object: await this.#writer.update(request, current, merged, true), created: false };
  }
}

/** The live object for an apply that creates. */
function blank({ resource }: WriteRequest): ApiObject {
  const metadata = {} as ApiObject['metadata']; // the applied object has the name
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
}

/** Parses an applied configuration, and checks its kind and types. Throws 400 and 500. */
function readApplyConfig({ resource }: WriteRequest, body: RequestBody): JsonObject {
  const config = body.parse();
  if (!isObject(config)) throw badRequest('an applied configuration must be an object');
  const { apiVersion, kind } = config;
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind)
    throw badRequest(`invalid object type: ${textOr(apiVersion)}, Kind=${textOr(kind)}`);
  const metadata = objectOr(config['metadata']);
  if (metadata['managedFields'] === null) delete metadata['managedFields'];
  if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  const errors = typeErrors(config, resource.schema);
  if (errors.length > 0) throw new StatusError(500, '', `failed to create typed patch object: ${errors.join('; ')}`);
  return config;
}

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Throws 415 for a patch type that the resource does not support. */
export function checkPatchType({ type }: RequestBody, isCustom: boolean): void {
  const known = [JSON_PATCH, MERGE_PATCH, ...(isCustom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH];
  if (!known.includes(type)) throw unsupportedMediaType(known);
}

/** Applies a JSON, merge or strategic merge patch to `current` and decodes the result. Throws a StatusError. */
function patchObject(body: RequestBody, current: ApiObject, request: WriteRequest, metadata: Schema): ApiObject {
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
      // This patch type cannot change apiVersion and kind.
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
