import type { User } from '../tokens.ts';
import { keyOf, type ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import type { ApiContext } from './api-context.ts';
import type { DeleteRequest } from './delete-options.ts';
import { checkPreconditions, type Deletion, type Remover } from './remover.ts';
import { Superseded } from './superseded.ts';

export interface DeleteCaller {
  readonly user: User;
  /** Sentences for the answer's Warning headers; reviewers add to it. */
  readonly warnings: string[];
  /** One of those that a DELETE of a collection is about, which names none. */
  readonly ofCollection?: boolean;
}

/** Deletes what clients want deleted, once those who are configured to review it agree. */
export class ReviewedRemover {
  readonly #context: ApiContext;
  readonly #remover: Remover;

  constructor(context: ApiContext, remover: Remover) {
    this.#context = context;
    this.#remover = remover;
  }

  /** As Remover.delete. Throws a StatusError; Superseded where the object was changed meanwhile. */
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
