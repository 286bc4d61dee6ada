import { clone } from '../json.ts';
import { keyOf, timestamp, type ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { Remover, Writer, type ApiContext, type DeleteRequest, type WriteRequest } from '../rest/index.ts';

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
    this.#writer.create(this.#request(resource, object, undefined), clone(object));
  }

  /** Writes what `change` makes of a copy of the object. */
  update(resource: Resource, object: ApiObject, change: (copy: ApiObject) => void, subresource?: 'status'): void {
    const copy = clone(object);
    change(copy);
    this.#writer.update(this.#request(resource, object, subresource), object, copy);
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

  #request(resource: Resource, { metadata }: ApiObject, subresource: 'status' | undefined): WriteRequest {
    return {
      resource,
      namespace: metadata.namespace,
      name: metadata.name,
      subresource,
      manager: 'kube-apiserver',
      dryRun: false,
      force: true,
      fieldValidation: 'Ignore',
      warnings: [],
    };
  }
}
