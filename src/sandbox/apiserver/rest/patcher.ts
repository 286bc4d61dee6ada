import { clone, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
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
    if (contentType === STRATEGIC_PATCH && resource.custom) throw unsupportedMediaType([JSON_PATCH, MERGE_PATCH, APPLY_PATCH]);
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
    const { uid } = objectOr(config['metadata']);
    if (current === undefined && typeof uid === 'string' && uid !== '') {
      throw conflict(resource, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
    }
    const now = timestamp(this.#context.clock.now());
    const merged = resource.fieldManager.apply(live, config, managerOf(request, 'Apply'), request.force, now);
    Object.assign(merged.metadata, metadata);
    normalise(merged, resource, this.#context.metadataSchema);
    if (current === undefined) return { object: this.#writer.create(request, merged, true), created: true };
    return { object: this.#writer.update(request, current, merged, true), created: false };
  }

  /** The applied object as it was sent, once it is known to be of the right kind and to name only known fields. */
  #checkConfig(request: WriteRequest, body: Json): JsonObject {
    const { resource, name = '', namespace } = request;
    const gvk = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
    if (!isObject(body) || body['apiVersion'] !== apiVersionOf(resource) || body['kind'] !== resource.kind) {
      const [version = '', kind = ''] = isObject(body) ? [body['apiVersion'], body['kind']].map((part) => (typeof part === 'string' ? part : '')) : [];
      throw badRequest(`invalid object type: ${version.includes('/') ? version : `/${version}`}, Kind=${kind}`);
    }
    const metadata = isObject(body['metadata']) ? body['metadata'] : {};
    if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
    if (metadata['name'] !== undefined && metadata['name'] !== name) {
      throw badRequest(`the name of the object (${JSON.stringify(metadata['name']).slice(1, -1)}) does not match the name on the URL (${name})`);
    }
    if (metadata['namespace'] !== undefined && metadata['namespace'] !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    const probe = clone(body);
    probe['metadata'] ??= {};
    const [unknown] = normalise(probe, resource, this.#context.metadataSchema);
    if (unknown !== undefined) {
      const where = `${textOr(metadata['namespace'])}/${textOr(metadata['name'])}`;
      throw new StatusError(500, '', `failed to create typed patch object (${where}; ${gvk}): .${unknown}: field not declared in schema`);
    }
    return clone(body);
  }
}

function applyPatch(contentType: string, current: ApiObject, body: Json, { resource }: WriteRequest): JsonObject {
  if (contentType === JSON_PATCH) return applyJsonPatch(current, body);
  if (!isObject(body)) throw badRequest(`error decoding patch: json: cannot unmarshal ${Array.isArray(body) ? 'array' : typeof body} into Go value of type map[string]interface {}`);
  if (contentType === STRATEGIC_PATCH) return applyStrategicMergePatch(current, body, resource.schema);
  return applyMergePatch(current, body) as JsonObject; // an object merged with an object
}
