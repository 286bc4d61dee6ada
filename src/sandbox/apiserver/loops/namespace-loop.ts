import type { ApiObject } from '../objects.ts';
import type { Registry, Resource } from '../resources/index.ts';
import type { Change, Store } from '../store/index.ts';
import type { InternalWriter } from './internal-writer.ts';

/**
 * Gives each namespace its `default` ServiceAccount and the cluster's CA as ConfigMap kube-root-ca.crt, and empties the
 * namespaces that are being deleted.
 */
export class NamespaceLoop {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #writer: InternalWriter;
  readonly #ca: string;
  #scheduled: NodeJS.Immediate | undefined;

  constructor(store: Store, registry: Registry, writer: InternalWriter, ca: string) {
    this.#store = store;
    this.#registry = registry;
    this.#writer = writer;
    this.#ca = ca;
  }

  /** Returns what stops it. */
  start(): () => void {
    const unsubscribe = this.#store.subscribe((collection, change) => {
      this.#observe(collection, change);
    });
    return () => {
      unsubscribe();
      if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    };
  }

  #observe(collection: string, { type, current }: Change): void {
    if (collection === '/namespaces' && type === 'ADDED') this.#furnish(current.object);
    const isTerminating = collection === '/namespaces' && current.object.metadata.deletionTimestamp !== undefined;
    const { namespace } = current.object.metadata;
    const empties = type === 'DELETED' && namespace !== undefined && this.#isTerminating(namespace);
    if (isTerminating || empties) this.#schedule();
  }

  #isTerminating(name: string): boolean {
    return this.#store.collection('/namespaces').get(name)?.object.metadata.deletionTimestamp !== undefined;
  }

  #furnish({ metadata: { name: namespace } }: ApiObject): void {
    this.#writer.ensure(this.#resource('serviceaccounts'), {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace },
    });
    this.#writer.ensure(this.#resource('configmaps'), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-root-ca.crt', namespace },
      data: { 'ca.crt': this.#ca },
    });
  }

  #schedule(): void {
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      for (const { object } of [...this.#store.collection('/namespaces').values()]) {
        if (object.metadata.deletionTimestamp !== undefined) this.#empty(object);
      }
    });
  }

  #empty(namespace: ApiObject): void {
    const { name } = namespace.metadata;
    let left = 0;
    for (const resource of this.#registry.all().filter(({ namespaced }) => namespaced)) {
      for (const { object } of [...this.#store.collection(resource.collection).values()]) {
        if (object.metadata.namespace !== name) continue;
        if (object.metadata.deletionTimestamp === undefined)
          this.#writer.delete(resource, object, { propagation: 'Background' });
        if (this.#writer.get(resource, object.metadata) !== undefined) left += 1;
      }
    }
    const current = this.#store.collection('/namespaces').get(name)?.object;
    if (left > 0 || current === undefined) return;
    // The namespace's own finalizer is out of clients' reach: its object goes with it.
    const last = { ...current, spec: {} };
    if ((current.metadata.finalizers ?? []).length > 0) this.#store.put('/namespaces', last);
    else this.#store.remove('/namespaces', last);
  }

  #resource(plural: string): Resource {
    const resource = this.#registry.find('', 'v1', plural);
    if (resource === undefined) throw new Error(`${plural} are not served`);
    return resource;
  }
}
