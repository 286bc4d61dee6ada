import { timestamp, type ApiObject } from '../objects.ts';
import { apiVersionOf } from '../resources/index.ts';
import { conflict, notFound } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import { judgeApplyConfig, readApplyConfig } from './apply-config.ts';
import { checkTarget } from './check-identity.ts';
import { dedupeOwners } from './dedupe-owners.ts';
import { settleApplied } from './decode-object.ts';
import { patchObject } from './patch-object.ts';
import { APPLY_PATCH } from './patch-types.ts';
import type { RequestBody } from './request-body.ts';
import type { ReviewedWriter } from './reviewed-writer.ts';
import type { WriteRequest } from './write-request.ts';
import { managerOf } from './writer.ts';

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
    settleApplied(merged, config, resource, this.#context.metadataSchema);
    judgeApplyConfig(body, request);
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
    return { object: await this.#writer.update(request, current, merged, { applied: true }), created: false };
  }
}

/** What is there before an object is applied for the first time. */
function blank({ resource }: WriteRequest): ApiObject {
  const metadata = {} as ApiObject['metadata']; // named by what is applied
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
}
