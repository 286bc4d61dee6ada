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

/** Writes of the server's internal loops. The rules for clients apply, except authentication and webhooks. */
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

  /** Creates the object unless it exists. */
  ensure(resource: Resource, object: ApiObject): void {
    if (this.get(resource, object.metadata) !== undefined) return;
    this.#writer.create(requestOf(resource, object, undefined), clone(object));
  }

  /** Changes a copy of the object and writes it. */
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

/** Writes of the controllers of kube-controller-manager: as a service account, with admission webhooks. */
export class ControllerWriter {
  readonly #context: ApiContext;
  readonly #writer: ReviewedWriter;
  readonly #remover: ReviewedRemover;
  readonly #user: User;

  /** @param name the service account in kube-system */
  constructor(context: ApiContext, name: string) {
    this.#context = context;
    this.#writer = new ReviewedWriter(context, new Writer(context));
    this.#remover = new ReviewedRemover(context, new Remover(context));
    this.#user = {
      name: `system:serviceaccount:kube-system:${name}`,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
    };
  }

  /** The stored object. */
  get({ collection }: Resource, ref: { namespace?: string; name: string }): ApiObject | undefined {
    return this.#context.store.collection(collection).get(keyOf(ref))?.object;
  }

  /**
   * Changes a copy of the object and writes it.
   *
   * @throws StatusError, e.g. 409 if the object has changed since it was read
   */
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

  /**
   * Deletes the object if it has not changed.
   *
   * @throws StatusError
   */
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
