import { keyOf, type ApiObject } from '../objects.ts';
import type { Registry, Resource } from '../resources/index.ts';
import type { ApiContext } from '../rest/index.ts';
import type { Change, Store } from '../store/index.ts';
import { ControllerWriter } from './writers.ts';
import { WorkLoop } from './work-loop.ts';

type OwnerReference = NonNullable<ApiObject['metadata']['ownerReferences']>[number];

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

interface Node {
  collection: string;
  key: string;
}

interface Place {
  resource: Resource;
  object: ApiObject;
}

/**
 * Deletes objects without remaining owners and completes foreground and orphan deletions, like the garbage collector of
 * kube-controller-manager.
 */
export class GarbageCollector {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #writer: ControllerWriter;
  readonly #loop: WorkLoop<Node>;
  /** Dependents by the owner's uid. */
  readonly #dependents = new Map<string, Map<string, Node>>();
  /** Objects with an owner of a kind that is not served. They are checked again if a definition changes. */
  readonly #undecided = new Map<string, Node>();

  constructor(context: ApiContext) {
    this.#store = context.store;
    this.#registry = context.registry;
    this.#writer = new ControllerWriter(context, 'generic-garbage-collector');
    this.#loop = new WorkLoop({
      clock: context.clock,
      logger: context.logger,
      work: (node) => this.#attempt(node),
      failure: 'garbage collection failed; retrying',
    });
  }

  /** @returns a function that stops the collector */
  start(): () => void {
    const unsubscribe = this.#store.subscribe((collection, change) => {
      this.#observe(collection, change);
    });
    return () => {
      unsubscribe();
      this.#loop.stop();
    };
  }

  #observe(collection: string, { type, key, current, previous }: Change): void {
    const node = { collection, key };
    const { object } = current;
    const before = previous?.object.metadata.ownerReferences ?? [];
    for (const owner of before) this.#dependents.get(owner.uid)?.delete(idOf(node));
    if (collection === DEFINITIONS) for (const undecided of this.#undecided.values()) this.#enqueue(undecided);
    if (type === 'DELETED') {
      this.#observeEnd(node, object);
      return;
    }
    const { ownerReferences: owners = [], finalizers = [], deletionTimestamp } = object.metadata;
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid) ?? new Map<string, Node>();
      this.#dependents.set(owner.uid, dependents.set(idOf(node), node));
    }
    // The foreground deletion of a former owner may no longer be blocked.
    for (const owner of before) if (!isSame(owner, owners)) this.#enqueueOwner(owner, object.metadata.namespace);
    const isWaiting =
      deletionTimestamp !== undefined && (finalizers.includes('foregroundDeletion') || finalizers.includes('orphan'));
    if (owners.length > 0 || isWaiting) this.#enqueue(node);
  }

  #observeEnd(node: Node, { metadata: { uid = '', namespace, ownerReferences = [] } }: ApiObject): void {
    this.#undecided.delete(idOf(node));
    for (const dependent of this.#dependents.get(uid)?.values() ?? []) this.#enqueue(dependent);
    this.#dependents.delete(uid);
    // The foreground deletion of an owner completes after its last dependent.
    for (const owner of ownerReferences) this.#enqueueOwner(owner, namespace);
  }

  #enqueueOwner({ apiVersion, kind, name }: OwnerReference, namespace: string | undefined): void {
    const resource = this.#registry.findKind(apiVersion, kind);
    if (resource === undefined) return;
    this.#enqueue({ collection: resource.collection, key: resource.namespaced ? `${namespace ?? ''}/${name}` : name });
  }

  #enqueue(node: Node): void {
    this.#loop.add(idOf(node), node);
  }

  async #attempt(node: Node): Promise<void> {
    const place = this.#find(node);
    if (place === undefined) return;
    const { metadata } = place.object;
    if (metadata.deletionTimestamp !== undefined) await this.#finish(place);
    else if ((metadata.ownerReferences ?? []).length > 0) await this.#collect(node, place);
  }

  /** Deletes an object without valid owner, or removes its dangling owner references. */
  async #collect(node: Node, { resource, object }: Place): Promise<void> {
    const owners = object.metadata.ownerReferences ?? [];
    const states = owners.map((owner) => this.#stateOf(owner, object.metadata.namespace));
    this.#undecided.delete(idOf(node));
    if (states.includes('impossible')) return;
    if (states.includes('unknown')) {
      this.#undecided.set(idOf(node), node);
      return;
    }
    const isWaitedFor = states.includes('waiting');
    if (states.includes('solid')) {
      const solid = owners.filter((_owner, index) => states[index] === 'solid');
      if (solid.length < owners.length) await this.#setOwners(resource, object, solid);
    } else if (isWaitedFor && this.#dependentsOf(object).length > 0) {
      await this.#writer.delete(resource, await this.#unblocked(resource, object), 'Foreground');
    } else {
      await this.#writer.delete(resource, object, policyOf(object));
    }
  }

  #stateOf(
    owner: OwnerReference,
    namespace: string | undefined,
  ): 'solid' | 'dangling' | 'waiting' | 'unknown' | 'impossible' {
    const resource = this.#registry.findKind(owner.apiVersion, owner.kind);
    // An owner of a kind that is not served may exist.
    if (resource === undefined) return 'unknown';
    if (resource.namespaced && namespace === undefined) return 'impossible';
    const found = this.#writer.get(resource, {
      name: owner.name,
      ...(resource.namespaced ? { namespace: namespace ?? '' } : {}),
    });
    if (found?.metadata.uid !== owner.uid) return 'dangling';
    const { deletionTimestamp, finalizers = [] } = found.metadata;
    return deletionTimestamp !== undefined && finalizers.includes('foregroundDeletion') ? 'waiting' : 'solid';
  }

  /** If a dependent is in foreground deletion, the object must not block its owners: a cycle would never be deleted. */
  async #unblocked(resource: Resource, object: ApiObject): Promise<ApiObject> {
    const owners = object.metadata.ownerReferences ?? [];
    const isCircle = this.#dependentsOf(object).some(
      ({ object: { metadata } }) =>
        metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes('foregroundDeletion') === true,
    );
    if (!isCircle || !owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true)) return object;
    await this.#setOwners(
      resource,
      object,
      owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
    );
    return this.#writer.get(resource, object.metadata) ?? object;
  }

  /** Continues an orphan or foreground deletion. */
  async #finish({ resource, object }: Place): Promise<void> {
    const { finalizers = [], uid = '' } = object.metadata;
    const dependents = this.#dependentsOf(object);
    if (finalizers.includes('orphan')) {
      for (const dependent of dependents) {
        const others = (dependent.object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
        await this.#setOwners(dependent.resource, dependent.object, others);
      }
      await this.#removeFinalizer(resource, object, 'orphan');
    } else if (finalizers.includes('foregroundDeletion')) {
      for (const dependent of dependents)
        if (dependent.object.metadata.deletionTimestamp === undefined) this.#enqueue(nodeOf(dependent));
      const isBlocked = dependents.some((dependent) =>
        dependent.object.metadata.ownerReferences?.some(
          (owner) => owner.uid === uid && owner['blockOwnerDeletion'] === true,
        ),
      );
      if (!isBlocked) await this.#removeFinalizer(resource, object, 'foregroundDeletion');
    }
  }

  async #setOwners(resource: Resource, object: ApiObject, owners: OwnerReference[]): Promise<void> {
    await this.#writer.update(resource, object, ({ metadata }) => {
      metadata.ownerReferences = owners;
      if (owners.length === 0) delete metadata.ownerReferences;
    });
  }

  async #removeFinalizer(resource: Resource, object: ApiObject, finalizer: string): Promise<void> {
    await this.#writer.update(resource, object, ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
      if (metadata.finalizers.length === 0) delete metadata.finalizers;
    });
  }

  #dependentsOf({ metadata: { uid = '' } }: ApiObject): Place[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])].flatMap((node) => this.#find(node) ?? []);
  }

  #find({ collection, key }: Node): Place | undefined {
    const resource = this.#registry.ofCollection(collection);
    const object = this.#store.collection(collection).get(key)?.object;
    return resource === undefined || object === undefined ? undefined : { resource, object };
  }
}

function idOf({ collection, key }: Node): string {
  return `${collection} ${key}`;
}

function nodeOf({ resource, object }: Place): Node {
  return { collection: resource.collection, key: keyOf(object.metadata) };
}

/** The deletion policy according to the object's finalizers. */
function policyOf({ metadata: { finalizers = [] } }: ApiObject): 'Orphan' | 'Foreground' | 'Background' {
  if (finalizers.includes('orphan')) return 'Orphan';
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background';
}

/** Whether `others` contains the owner with the same `blockOwnerDeletion`. */
function isSame(owner: OwnerReference, others: OwnerReference[]): boolean {
  return others.some(
    ({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion === owner['blockOwnerDeletion'],
  );
}
