import { keyOf, type ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import type { AdmissionRequest, GroupVersionKind, Review, ApiContext } from './api-context.ts';
import { normalise } from './decode-object.ts';
import { isolate } from './update-rules.ts';
import type { WriteRequest } from './call.ts';
import type { Writer } from './writer.ts';
import type { User } from '../tokens.ts';
import type { DeleteRequest } from './delete-options.ts';
import { checkPreconditions, type Deletion, type Remover } from './remover.ts';
import { modified, StatusError, type ResourceName } from '../status.ts';

/** Reviews the writes of clients by webhooks. A write that no webhook matches is synchronous: done when the call returns. */
export class ReviewedWriter {
  readonly #context: ApiContext;
  readonly #writer: Writer;

  constructor(context: ApiContext, writer: Writer) {
    this.#context = context;
    this.#writer = writer;
  }

  /** Like Writer.create. Throws a StatusError; Superseded if an apply would create an object that now exists. */
  async create(request: WriteRequest, object: ApiObject, applied = false): Promise<ApiObject> {
    const review = this.#reviewOf('CREATE', request, object.metadata.name, kindOf(request.resource));
    if (review === undefined) return this.#writer.create(request, object, applied);
    this.#writer.draftCreate(request, object, applied);
    const mutated = (await review.mutate(object, null)) as ApiObject; // not null: the argument is an object
    this.#writer.completeCreate(request, mutated);
    await review.validate(mutated, null);
    this.#writer.checkNamespace(request, mutated);
    if (applied && this.#stored(request.resource, mutated) !== undefined)
      throw new Superseded(request.resource, mutated.metadata.name);
    return this.#writer.storeCreate(request, mutated);
  }

  /** Like Writer.update. Throws a StatusError; Superseded if the object was changed during the review. */
  async update(request: WriteRequest, previous: ApiObject, next: ApiObject, applied = false): Promise<ApiObject> {
    const { resource } = request;
    const review = this.#reviewOf('UPDATE', request, request.name ?? '', kindOf(resource));
    if (review === undefined) return this.#writer.update(request, previous, next, applied);
    this.#writer.draftUpdate(request, previous, next, applied);
    const changed = (await review.mutate(next, previous)) as ApiObject; // not null: the argument is an object
    isolate(request, previous, changed);
    this.#writer.completeUpdate(request, previous, changed);
    await review.validate(changed, previous);
    if (this.#stored(resource, previous)?.metadata.resourceVersion !== previous.metadata.resourceVersion)
      throw new Superseded(resource, previous.metadata.name);
    return this.#writer.storeUpdate(request, previous, changed);
  }

  #reviewOf(
    operation: 'CREATE' | 'UPDATE',
    request: WriteRequest,
    name: string | undefined,
    kind: GroupVersionKind,
  ): Review | undefined {
    const { resource, namespace, dryRun, warnings, caller } = request;
    if (caller === undefined) return undefined;
    const admission: AdmissionRequest = {
      operation,
      resource,
      subresource: caller.subresource,
      kind,
      name: name ?? '',
      namespace: namespace ?? (resource.collection === '/namespaces' ? (name ?? '') : ''),
      user: caller.user,
      options: {
        kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
        apiVersion: 'meta.k8s.io/v1',
        ...caller.options,
      },
      dryRun,
      warnings,
      decode: (object) => {
        if (kind.kind === resource.kind) normalise(object, resource, this.#context.metadataSchema);
      },
    };
    return this.#context.admission.reviewOf(admission);
  }

  #stored({ collection }: Resource, { metadata }: ApiObject): ApiObject | undefined {
    return this.#context.store.collection(collection).get(keyOf(metadata))?.object;
  }
}

function kindOf({ group, version, kind }: Resource): GroupVersionKind {
  return { group, version, kind };
}

export interface DeleteCaller {
  readonly user: User;
  /** Texts for the Warning headers of the response; admission adds to them. */
  readonly warnings: string[];
  /** Part of a deletecollection: the review does not have the name. */
  readonly ofCollection?: boolean;
}

/** Reviews the deletions of clients by webhooks. */
export class ReviewedRemover {
  readonly #context: ApiContext;
  readonly #remover: Remover;

  constructor(context: ApiContext, remover: Remover) {
    this.#context = context;
    this.#remover = remover;
  }

  /** Like Remover.delete. Throws a StatusError; Superseded if the object was changed during the review. */
  async delete(
    resource: Resource,
    current: ApiObject,
    request: DeleteRequest,
    { user, warnings, ofCollection = false }: DeleteCaller,
  ): Promise<Deletion> {
    const { group, version, kind, collection } = resource;
    const { name, namespace = collection === '/namespaces' ? name : '' } = current.metadata;
    const review = this.#context.admission.reviewOf({
      operation: 'DELETE',
      resource,
      subresource: undefined,
      kind: { group, version, kind },
      name: ofCollection ? '' : name,
      namespace,
      user,
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...request.options },
      dryRun: request.dryRun,
      warnings,
      decode: () => undefined,
    });
    if (review === undefined) return this.#remover.delete(resource, current, request);
    checkPreconditions(resource, current, request);
    await review.mutate(null, current);
    await review.validate(null, current);
    const found = this.#context.store.collection(collection).get(keyOf(current.metadata))?.object;
    if (found?.metadata.resourceVersion !== current.metadata.resourceVersion) throw new Superseded(resource, name);
    return this.#remover.delete(resource, current, request);
  }
}

const MAX_ATTEMPTS = 10;

/** The object changed during the review. `untilCurrent` repeats the request; after the last attempt, clients see a 409. */
class Superseded extends StatusError {
  constructor(resource: ResourceName, name: string) {
    const { code, reason, message, details } = modified(resource, name);
    super(code, reason, message, details);
  }
}

/** Repeats `work` while it throws Superseded, up to MAX_ATTEMPTS times. */
export async function untilCurrent<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Superseded) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
