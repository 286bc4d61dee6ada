import { KeylessItemError } from '../apply/index.ts';
import { at, clone, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { timestamp, type ApiObject } from '../objects.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from '../patch/index.ts';
import { apiVersionOf } from '../resources/index.ts';
import { badRequest, conflict, notFound, StatusError, unsupportedMediaType } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import { decodeObject, normalise } from './decode-object.ts';
import type { WriteRequest } from './write-request.ts';
import { managerOf, type Writer } from './writer.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

export interface Patched {
  object: ApiObject;
  created: boolean;
}

/** Answers PATCH, in the four kinds of patch that Kubernetes has. */
export class Patcher {
  readonly #context: ApiContext;
  readonly #writer: Writer;

  constructor(context: ApiContext, writer: Writer) {
    this.#context = context;
    this.#writer = writer;
  }

  /** `current`: the object as stored, or undefined. Throws a StatusError. */
  patch(request: WriteRequest, contentType: string, body: Json, current: ApiObject | undefined): Patched {
    const { resource, name = '' } = request;
    if (contentType === APPLY_PATCH) return this.#apply(request, body, current);
    if (![JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH].includes(contentType)) {
      throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
    }
    if (contentType === STRATEGIC_PATCH && resource.custom)
      throw unsupportedMediaType([JSON_PATCH, MERGE_PATCH, APPLY_PATCH]);
    if (current === undefined) throw notFound(resource, name);
    const patched = applyPatch(contentType, current, body, request);
    const next = decodeObject(patched, request, this.#context.metadataSchema);
    return { object: this.#writer.update(request, current, next), created: false };
  }

  #apply(request: WriteRequest, body: Json, current: ApiObject | undefined): Patched {
    const { resource, namespace, name = '', subresource } = request;
    const config = this.#checkConfig(request, body);
    if (current === undefined && subresource !== undefined) throw notFound(resource, name);
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
    const live: ApiObject = current ?? { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
    const { uid, name: given } = objectOr(config['metadata']);
    if (current === undefined && given === undefined) {
      throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
    }
    if (current === undefined && typeof uid === 'string' && uid !== '') {
      throw conflict(
        resource,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    }
    const now = timestamp(this.#context.clock.now());
    const merged = this.#merge(request, live, config, now);
    Object.assign(merged.metadata, metadata);
    normalise(merged, resource, this.#context.metadataSchema);
    if (current === undefined) return { object: this.#writer.create(request, merged, true), created: true };
    return { object: this.#writer.update(request, current, merged, true), created: false };
  }

  #merge(request: WriteRequest, live: ApiObject, config: JsonObject, now: string): ApiObject {
    try {
      return request.resource.fieldManager.apply(live, config, managerOf(request, 'Apply'), request.force, now);
    } catch (error) {
      if (error instanceof KeylessItemError) throw untyped(request, config, error.message);
      throw error;
    }
  }

  /** The applied object as it was sent, once it is known to be of the right kind and to name only known fields. */
  #checkConfig(request: WriteRequest, body: Json): JsonObject {
    const { resource } = request;
    if (!isObject(body) || body['apiVersion'] !== apiVersionOf(resource) || body['kind'] !== resource.kind) {
      const apiVersion = textOr(at(body, 'apiVersion'));
      throw badRequest(
        `invalid object type: ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${textOr(at(body, 'kind'))}`,
      );
    }
    checkMetadata(objectOr(body['metadata']), request);
    const probe = clone(body);
    probe['metadata'] ??= {};
    const [unknown] = normalise(probe, resource, this.#context.metadataSchema);
    if (unknown !== undefined) throw untyped(request, body, `.${unknown}: field not declared in schema`);
    return clone(body);
  }
}

function checkMetadata({ name, namespace, managedFields }: JsonObject, request: WriteRequest): void {
  if (managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  if (name !== undefined && name !== request.name) {
    throw badRequest(
      `the name of the object (${textOr(name)}) does not match the name on the URL (${request.name ?? ''})`,
    );
  }
  if (namespace !== undefined && namespace !== request.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function untyped({ resource }: WriteRequest, config: JsonObject, problem: string): StatusError {
  const { namespace, name } = objectOr(config['metadata']);
  const gvk = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
  return new StatusError(
    500,
    '',
    `failed to create typed patch object (${textOr(namespace)}/${textOr(name)}; ${gvk}): ${problem}`,
  );
}

function applyPatch(contentType: string, current: ApiObject, body: Json, { resource }: WriteRequest): JsonObject {
  if (contentType === JSON_PATCH) return applyJsonPatch(current, body);
  if (!isObject(body))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${Array.isArray(body) ? 'array' : typeof body} into Go value of type map[string]interface {}`,
    );
  if (contentType === STRATEGIC_PATCH) return applyStrategicMergePatch(current, body, resource.schema);
  return applyMergePatch(current, body) as JsonObject; // an object merged with an object
}
