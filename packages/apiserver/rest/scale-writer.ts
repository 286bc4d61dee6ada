import { FieldManager, FieldSet, ScaleFields } from '../apply/index.ts';
import { at, clone } from '../json.ts';
import { timestamp, type ApiObject } from '../objects.ts';
import type { Resource, ScalePaths } from '../resources/index.ts';
import { fieldErrors, type Schema } from '../schema/index.ts';
import { badRequest, conflict, invalid, noSuchResource, StatusError } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import { checkTarget } from './check-identity.ts';
import { readApplyConfig } from './apply-config.ts';
import { decodeObject } from './decode-object.ts';
import { patchObject } from './patch-object.ts';
import { APPLY_PATCH, checkPatchType } from './patch-types.ts';
import type { RequestBody } from './request-body.ts';
import type { ReviewedWriter, View } from './reviewed-writer.ts';
import { scaleResource } from './scale-resource.ts';
import { readScale, replicasOf, writeReplicas } from './scale.ts';
import type { WriteRequest } from './write-request.ts';
import { managerOf } from './writer.ts';

/** Says that a custom resource had no replicas; the smallest that fits. */
const UNSET = -(2 ** 31);

/** What the server of custom resources says of all that is no Scale. */
const UNKNOWN_TYPE = 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:110"';

/** Answers PUT and PATCH of the scale subresource. */
export class ScaleWriter {
  readonly #context: ApiContext;
  readonly #writer: ReviewedWriter;
  readonly #fieldManager: FieldManager;

  constructor(context: ApiContext, writer: ReviewedWriter) {
    this.#context = context;
    this.#writer = writer;
    this.#fieldManager = new FieldManager(context.scaleSchema, { reset: () => FieldSet.empty });
  }

  /** Returns the new Scale. Throws a StatusError. */
  async write(request: WriteRequest, method: string, body: RequestBody, current: ApiObject): Promise<ApiObject> {
    const { resource } = request;
    const { scale: paths } = resource;
    if (method !== 'PUT') checkPatchType(body, resource.custom);
    else if (resource.custom && !isScale(body)) throw badRequest(UNKNOWN_TYPE);
    if (paths === undefined) throw noSuchResource();
    const fields = new ScaleFields(current, paths.specReplicasPath);
    const live = readScale(current, resource, UNSET);
    live.metadata.managedFields = fields.toScale();
    const asScale = { ...request, resource: writableScale(resource, this.#context.scaleSchema, this.#fieldManager) };
    const next = this.#next(asScale, method, body, live);
    if (resource.custom && method !== 'PUT' && body.type === APPLY_PATCH) throw notApplied(live);
    checkScale(next, current, resource);
    const changed = clone(current);
    const { resourceVersion = '', managedFields = [] } = next.metadata;
    if (resourceVersion !== '') changed.metadata.resourceVersion = resourceVersion;
    changed.metadata.managedFields = fields.toParent(managedFields);
    writeReplicas(changed, paths, replicasOf(next));
    const updated = await this.#writer.update({ ...request, subresource: undefined }, current, changed, {
      applied: true,
      view: viewOf(resource, paths),
    });
    return readScale(updated, resource);
  }

  #next(request: WriteRequest, method: string, body: RequestBody, live: ApiObject): ApiObject {
    const now = timestamp(this.#context.clock.now());
    const { metadataSchema } = this.#context;
    if (method !== 'PUT' && body.type === APPLY_PATCH) {
      const config = readApplyConfig(request, body);
      return this.#fieldManager.apply(live, config, managerOf(request, 'Apply'), request.force, now);
    }
    const next =
      method === 'PUT' ? decodeObject(body, request, metadataSchema) : patchObject(body, live, request, metadataSchema);
    checkTarget(request, next);
    next.metadata.managedFields = this.#fieldManager.update(live, next, managerOf(request, 'Update'), now);
    return next;
  }
}

/** What decodes and tracks a Scale of the resource: a kind like any other. */
function writableScale(resource: Resource, schema: Schema, fieldManager: FieldManager): Resource {
  return { ...scaleResource(resource), version: 'v1', schema, fieldManager, strategy: {}, validate: () => [] };
}

/** A custom resource's Scale can conflict, but not be applied; nobody has missed it in the real server either. */
function notApplied({ metadata: { namespace = '', name } }: ApiObject): StatusError {
  const what = `(${namespace}/${name}; autoscaling/v1, Kind=Scale)`;
  const problem = 'request to convert CR to an invalid group/version: autoscaling/v1';
  return new StatusError(500, '', `failed to convert new object ${what} to proper version: ${problem}`);
}

function isScale(body: RequestBody): boolean {
  const { value } = body.object('Scale');
  return at(value, 'kind') === 'Scale' && at(value, 'apiVersion') === 'autoscaling/v1';
}

function checkScale(scale: ApiObject, current: ApiObject, resource: Resource): void {
  const replicas = replicasOf(scale);
  if (resource.custom) {
    if (replicas === UNSET)
      throw badRequest(`the spec replicas field ${JSON.stringify(resource.scale?.specReplicasPath)} cannot be empty`);
    return;
  }
  if (replicas < 0) {
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, current.metadata.name, [
      fieldErrors.invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  }
  const { uid } = scale.metadata;
  if (uid === undefined || uid === '' || uid === current.metadata.uid) return;
  const problem = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ''}`;
  throw conflict({ ...resource, plural: `${resource.plural}/scale` }, current.metadata.name, problem);
}

/** How those see a change of the scale who review it. */
function viewOf(resource: Resource, paths: ScalePaths): View {
  return {
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    read: (object) => readScale(object, resource, UNSET),
    write(object, shown) {
      writeReplicas(object, paths, replicasOf(shown));
    },
  };
}
