import type { Logger } from '../../../kube/index.ts';
import type { ApiObject } from '../objects.ts';
import type { Registry, Resource } from '../resources/index.ts';
import type { Change, Store } from '../store/index.ts';
import type { InternalWriter } from './internal-writer.ts';

interface Node {
  collection: string;
  key: string;
}

/**
 * Deletes objects whose owners are all gone, in the background of whoever deleted those; and sees foreground and orphan
 * deletions through, which wait on their finalizer for it.
 */
export class GarbageCollector {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #writer: InternalWriter;
  readonly #logger: Logger;
  /** Dependents by the uid of an owner. */
  readonly #dependents = new Map<string, Map<string, Node>>();
  readonly #queue = new Map<string, Node>();
  #scheduled: NodeJS.Immediate | undefined;

  constructor(store: Store, registry: Registry, writer: InternalWriter, logger: Logger) {
    this.#store = store;
    this.#registry = registry;
    this.#writer = writer;
    this.#logger = logger;
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

  #observe(collection: string, { type, key, current, previous }: Change): void {
    const node = { collection, key };
    const id = `${collection} ${key}`;
    for (const owner of previous?.object.metadata.ownerReferences ?? []) this.#dependents.get(owner.uid)?.delete(id);
    const { object } = current;
    if (type === 'DELETED') {
      this.#observeEnd(object);
      return;
    }
    const { ownerReferences: owners = [], finalizers = [], deletionTimestamp } = object.metadata;
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid) ?? new Map<string, Node>();
      this.#dependents.set(owner.uid, dependents.set(id, node));
    }
    const isWaiting =
      deletionTimestamp !== undefined && (finalizers.includes('foregroundDeletion') || finalizers.includes('orphan'));
    if (owners.length > 0 || isWaiting) this.#enqueue(node);
  }

  #observeEnd({ metadata: { uid = '', namespace, ownerReferences = [] } }: ApiObject): void {
    for (const dependent of this.#dependents.get(uid)?.values() ?? []) this.#enqueue(dependent);
    this.#dependents.delete(uid);
    // The last dependent of an owner that is deleted in the foreground lets it go.
    for (const owner of ownerReferences) this.#enqueueOwner(owner, namespace);
  }

  #enqueueOwner(
    { apiVersion, kind, name }: { apiVersion: string; kind: string; name: string },
    namespace: string | undefined,
  ): void {
    const resource = this.#registry.findKind(apiVersion, kind);
    if (resource === undefined) return;
    this.#enqueue({ collection: resource.collection, key: resource.namespaced ? `${namespace ?? ''}/${name}` : name });
  }

  #enqueue(node: Node): void {
    this.#queue.set(`${node.collection} ${node.key}`, node);
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      this.#drain();
    });
  }

  #drain(): void {
    const nodes = [...this.#queue.values()];
    this.#queue.clear();
    for (const node of nodes) {
      try {
        this.#attempt(node);
      } catch (error) {
        this.#logger.warn({ error, ...node }, 'garbage collection failed');
      }
    }
  }

  #attempt({ collection, key }: Node): void {
    const object = this.#store.collection(collection).get(key)?.object;
    const resource = this.#registry.ofCollection(collection);
    if (object === undefined || resource === undefined) return;
    if (object.metadata.deletionTimestamp !== undefined) {
      this.#finish(resource, object);
      return;
    }
    const owners = object.metadata.ownerReferences ?? [];
    const states = owners.map((owner) => this.#stateOf(owner, object.metadata.namespace));
    if (owners.length === 0 || states.includes('present')) return;
    if (states.includes('unknown')) return;
    const isForeground = states.includes('foreground');
    this.#writer.delete(resource, object, {
      propagation: isForeground && this.#dependentsOf(object).length > 0 ? 'Foreground' : 'Background',
    });
  }

  /** An owner of a kind that is not served may exist: nothing is deleted for it. */
  #stateOf(
    owner: { apiVersion: string; kind: string; name: string; uid: string },
    namespace: string | undefined,
  ): 'present' | 'absent' | 'foreground' | 'unknown' {
    const resource = this.#registry.findKind(owner.apiVersion, owner.kind);
    if (resource === undefined) return 'unknown';
    const found = this.#writer.get(resource, {
      name: owner.name,
      ...(resource.namespaced ? { namespace: namespace ?? '' } : {}),
    });
    if (found?.metadata.uid !== owner.uid) return 'absent';
    const isForeground =
      found.metadata.deletionTimestamp !== undefined &&
      found.metadata.finalizers?.includes('foregroundDeletion') === true;
    return isForeground ? 'foreground' : 'present';
  }

  /** Goes on with a deletion that waits for its dependents. */
  #finish(resource: Resource, object: ApiObject): void {
    const finalizers = object.metadata.finalizers ?? [];
    const dependents = this.#dependentsOf(object);
    if (finalizers.includes('orphan')) {
      for (const dependent of dependents) {
        this.#writer.update(dependent.resource, dependent.object, ({ metadata }) => {
          metadata.ownerReferences = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== object.metadata.uid);
          if (metadata.ownerReferences.length === 0) delete metadata.ownerReferences;
        });
      }
      this.#release(resource, object, 'orphan');
    } else if (finalizers.includes('foregroundDeletion')) {
      for (const dependent of dependents)
        if (dependent.object.metadata.deletionTimestamp === undefined) this.#enqueueObject(dependent);
      const isBlocked = dependents.some((dependent) =>
        dependent.object.metadata.ownerReferences?.some(
          ({ uid, blockOwnerDeletion }) => uid === object.metadata.uid && blockOwnerDeletion === true,
        ),
      );
      if (!isBlocked) this.#release(resource, object, 'foregroundDeletion');
    }
  }

  #enqueueObject({ resource, object }: { resource: Resource; object: ApiObject }): void {
    const { namespace, name } = object.metadata;
    this.#enqueue({ collection: resource.collection, key: namespace === undefined ? name : `${namespace}/${name}` });
  }

  #release(resource: Resource, object: ApiObject, finalizer: string): void {
    this.#writer.update(resource, object, ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
      if (metadata.finalizers.length === 0) delete metadata.finalizers;
    });
  }

  #dependentsOf({ metadata: { uid = '' } }: ApiObject): { resource: Resource; object: ApiObject }[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])].flatMap(({ collection, key }) => {
      const resource = this.#registry.ofCollection(collection);
      const object = this.#store.collection(collection).get(key)?.object;
      return resource === undefined || object === undefined ? [] : [{ resource, object }];
    });
  }
}
