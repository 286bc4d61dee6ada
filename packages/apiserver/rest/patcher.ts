import { timestamp, type ApiObject } from '../objects.ts';
import { apiVersionOf } from '../resources/index.ts';
import { conflict, notFound, badRequest, StatusError } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import { checkTarget } from './check-identity.ts';
import { dedupeOwners } from './validate-metadata.ts';
import { settleApplied } from './decode-object.ts';
import { APPLY_PATCH, patchObject } from './patch-object.ts';
import type { RequestBody } from './request-body.ts';
import type { ReviewedWriter } from './reviewed-writer.ts';
import type { WriteRequest } from './write-request.ts';
import { managerOf } from './writer.ts';
import { typeErrors } from '../apply/index.ts';
import { isObject, objectOr, textOr, type JsonObject } from '../json.ts';

export interface Patched {
  object: ApiObject;
  created: boolean;
}

/** Answers PATCH, in the four kinds of patch that Kubernetes has. */
export class Patcher {
  readonly #context: ApiContext;
  readonly #writer: ReviewedWriter;

  constructor(context: ApiContext, writer: ReviewedWriter) {
    this.#context = context;
    this.#writer = writer;
  }

  /** `current`: the object as stored, or undefined. Throws a StatusError. */
  async patch(request: WriteRequest, body: RequestBody, current: ApiObject | undefined): Promise<Patched> {
    const { resource, name = '' } = request;
    if (body.type === APPLY_PATCH) return await this.#apply(request, body, current);
    if (current === undefined) throw notFound(resource, name);
    const next = patchObject(body, current, request, this.#context.metadataSchema);
    checkTarget(request, next);
    dedupeOwners(next.metadata, request.warnings, ' after mutating admission happens');
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

/** What is there before an object is applied for the first time. */
function blank({ resource }: WriteRequest): ApiObject {
  const metadata = {} as ApiObject['metadata']; // named by what is applied
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
}

/** What is applied, as it was sent, once it is known to be of the right kind and to fit the schema. Throws 400 and 500. */
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
