import { keyOf, type ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import type { AdmissionRequest, GroupVersionKind, Review } from './admission.ts';
import type { ApiContext } from './api-context.ts';
import { normalise } from './decode-object.ts';
import { isolate } from './isolate.ts';
import { Superseded } from './superseded.ts';
import type { WriteRequest } from './write-request.ts';
import type { Writer } from './writer.ts';

/**
 * Writes what clients send, once the configured webhooks agree. Where no webhook is concerned, a write is done when the
 * call returns, before its promise is awaited.
 */
export class ReviewedWriter {
  readonly #context: ApiContext;
  readonly #writer: Writer;

  constructor(context: ApiContext, writer: Writer) {
    this.#context = context;
    this.#writer = writer;
  }

  /** As Writer.create. Throws a StatusError; Superseded where the name of an applied object was taken meanwhile. */
  async create(request: WriteRequest, object: ApiObject, applied = false): Promise<ApiObject> {
    const review = this.#reviewOf('CREATE', request, object.metadata.name, kindOf(request.resource));
    if (review === undefined) return this.#writer.create(request, object, applied);
    this.#writer.draftCreate(request, object, applied);
    const mutated = (await review.mutate(object, null)) as ApiObject; // what is made of an object is one
    this.#writer.completeCreate(request, mutated);
    await review.validate(mutated, null);
    this.#writer.checkNamespace(request, mutated);
    if (applied && this.#stored(request.resource, mutated) !== undefined)
      throw new Superseded(request.resource, mutated.metadata.name);
    return this.#writer.storeCreate(request, mutated);
  }

  /** As Writer.update. Throws a StatusError; Superseded where the object was changed meanwhile. */
  async update(request: WriteRequest, previous: ApiObject, next: ApiObject, applied = false): Promise<ApiObject> {
    const { resource } = request;
    const review = this.#reviewOf('UPDATE', request, request.name ?? '', kindOf(resource));
    if (review === undefined) return this.#writer.update(request, previous, next, applied);
    this.#writer.draftUpdate(request, previous, next, applied);
    const changed = (await review.mutate(next, previous)) as ApiObject; // what is made of an object is one
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
