import { clone } from '../json.ts';
import { keyOf, timestamp, type ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import {
  Remover,
  Writer,
  type ApiContext,
  type DeleteRequest,
  type WriteRequest,
  ReviewedRemover,
  ReviewedWriter,
} from '../rest/index.ts';
import type { User } from '../tokens.ts';

/** How the server's own loops write: by the same rules as clients, without the way over the network. */
export class InternalWriter {
  readonly #context: ApiContext;
  readonly #writer: Writer;
  readonly #remover: Remover;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#writer = new Writer(context);
    this.#remover = new Remover(context);
  }

  get(resource: Resource, ref: { namespace?: string; name: string }): ApiObject | undefined {
    return this.#context.store.collection(resource.collection).get(keyOf(ref))?.object;
  }

  /** Creates unless it is there. */
  ensure(resource: Resource, object: ApiObject): void {
    if (this.get(resource, object.metadata) !== undefined) return;
    this.#writer.create(requestOf(resource, object, undefined), clone(object));
  }

  /** Writes what `change` makes of a copy of the object. */
  update(resource: Resource, object: ApiObject, change: (copy: ApiObject) => void, subresource?: 'status'): void {
    const copy = clone(object);
    change(copy);
    this.#writer.update(requestOf(resource, object, subresource), object, copy);
  }

  delete(resource: Resource, object: ApiObject, options: Partial<DeleteRequest> = {}): void {
    const none = {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagation: undefined,
      uid: object.metadata.uid,
      resourceVersion: undefined,
      options: {},
    };
    this.#remover.delete(resource, object, { ...none, ...options });
  }

  now(): string {
    return timestamp(this.#context.clock.now());
  }
}

/** How the cluster's controllers write: as clients do, in the name of a service account, and webhooks have their say. */
export class ControllerWriter {
  readonly #context: ApiContext;
  readonly #writer: ReviewedWriter;
  readonly #remover: ReviewedRemover;
  readonly #user: User;

  /** `name`: of the service account in kube-system. */
  constructor(context: ApiContext, name: string) {
    this.#context = context;
    this.#writer = new ReviewedWriter(context, new Writer(context));
    this.#remover = new ReviewedRemover(context, new Remover(context));
    this.#user = {
      name: `system:serviceaccount:kube-system:${name}`,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
    };
  }

  /** The object as it is stored. */
  get({ collection }: Resource, ref: { namespace?: string; name: string }): ApiObject | undefined {
    return this.#context.store.collection(collection).get(keyOf(ref))?.object;
  }

  /** Writes what `change` makes of a copy of the object. Throws a StatusError, also where the object is another by now. */
  async update(
    resource: Resource,
    object: ApiObject,
    change: (copy: ApiObject) => void,
    subresource?: 'status' | 'finalize',
  ): Promise<void> {
    const copy = clone(object);
    change(copy);
    await this.#writer.update(requestOf(resource, object, subresource, this.#user), object, copy);
  }

  /** Deletes the object in the state given. Throws a StatusError. */
  async delete(resource: Resource, object: ApiObject, propagation: DeleteRequest['propagation']): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    const preconditions = { uid, resourceVersion };
    const options = { preconditions, ...(propagation === undefined ? {} : { propagationPolicy: propagation }) };
    const request = { dryRun: false, gracePeriodSeconds: undefined, propagation, uid, resourceVersion, options };
    await this.#remover.delete(resource, object, request, { user: this.#user, warnings: [] });
  }
}

function requestOf(
  resource: Resource,
  { metadata }: ApiObject,
  subresource: 'status' | 'finalize' | undefined,
  user?: User,
): WriteRequest {
  return {
    resource,
    namespace: metadata.namespace,
    name: metadata.name,
    subresource,
    manager: user === undefined ? 'kube-apiserver' : 'kube-controller-manager',
    dryRun: false,
    force: true,
    fieldValidation: 'Ignore',
    warnings: [],
    ...(user === undefined ? {} : { caller: { user, subresource, options: {} } }),
  };
}
