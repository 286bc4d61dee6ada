import { clone, equal } from '../json.ts';
import { keyOf, timestamp, type ApiObject, type Metadata } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { conflict } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import type { DeleteRequest } from './delete-options.ts';
import { isHeld } from './writer.ts';

export interface Deletion {
  object: ApiObject;
  /** False while finalizers or a grace period keep it. */
  gone: boolean;
}

/** Deletes objects: at once, or by marking them until their finalizers and grace period are over. */
export class Remover {
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Throws a StatusError: a failed precondition, or a refusal of the kind's own. */
  delete(resource: Resource, current: ApiObject, request: DeleteRequest): Deletion {
    checkPreconditions(resource, current, request);
    const refusal = resource.strategy.refuseDelete?.(current);
    if (refusal !== undefined) throw refusal;
    const { strategy } = resource;
    if (strategy.markDeleted !== undefined && current.metadata.deletionTimestamp === undefined)
      return { object: this.#put(resource, this.#marked(resource, current, request), request), gone: false };
    if (strategy.gracePeriod !== undefined) return this.#deleteGracefully(resource, current, request);
    return this.#deleteAtOnce(resource, current, request);
  }

  /** The first deletion of a kind whose end is a controller's work: it never goes with the request. */
  #marked({ strategy, collection }: Resource, current: ApiObject, request: DeleteRequest): ApiObject {
    const next = clone(current);
    next.metadata.deletionTimestamp = this.#now();
    if (collection === '/namespaces') next.metadata.finalizers = finalizersOf(next.metadata, request);
    if (next.metadata.finalizers?.length === 0) delete next.metadata.finalizers;
    strategy.markDeleted?.(next, this.#now());
    return next;
  }

  #deleteAtOnce(resource: Resource, current: ApiObject, request: DeleteRequest): Deletion {
    if (resource.strategy.isHeld?.(current) === true) return { object: current, gone: false };
    const finalizers = finalizersOf(current.metadata, request);
    if (finalizers.length === 0) return { object: this.#remove(resource, current, request), gone: true };
    const next = clone(current);
    const { metadata } = next;
    metadata.finalizers = finalizers;
    if (metadata.deletionTimestamp === undefined) {
      metadata.deletionTimestamp = this.#now();
      if (metadata.generation !== undefined) metadata.generation += 1;
    }
    metadata.deletionGracePeriodSeconds = 0;
    return { object: this.#put(resource, next, request), gone: false };
  }

  /** As rest.BeforeDelete of kube-apiserver: a second request may bring the end forward, not put it off. */
  #deleteGracefully(resource: Resource, current: ApiObject, request: DeleteRequest): Deletion {
    const next = clone(current);
    const { metadata } = next;
    const granted = metadata.deletionGracePeriodSeconds ?? 0;
    if (metadata.deletionTimestamp === undefined) {
      const grace = resource.strategy.gracePeriod?.(next, request.gracePeriodSeconds) ?? 0;
      this.#setEnd(metadata, this.#context.clock.now() + grace * 1000, grace);
      if (metadata.generation !== undefined) metadata.generation += 1;
    } else if (granted === 0) {
      return this.#deleteAtOnce(resource, current, request);
    } else {
      const { gracePeriodSeconds: asked } = request;
      if (asked === undefined || asked >= granted) return { object: current, gone: false };
      const now = this.#context.clock.now();
      const end = Date.parse(metadata.deletionTimestamp) + (asked - granted) * 1000;
      // Time that has passed already is not asked for again; but it is the kubelet's to end what had any.
      if (end < now) this.#setEnd(metadata, now, asked === 0 ? 0 : 1);
      else this.#setEnd(metadata, end, asked);
    }
    metadata.finalizers = finalizersOf(metadata, request);
    if (metadata.finalizers.length === 0) delete metadata.finalizers;
    const marked = this.#put(resource, next, request);
    if (isHeld(marked, { resource })) return { object: marked, gone: false };
    return { object: this.#remove(resource, marked, request), gone: true };
  }

  #setEnd(metadata: Metadata, end: number, grace: number): void {
    metadata.deletionTimestamp = timestamp(end);
    metadata.deletionGracePeriodSeconds = grace;
  }

  #put({ collection, encode, view }: Resource, next: ApiObject, { dryRun }: DeleteRequest): ApiObject {
    const { store } = this.#context;
    const stored = store.collection(collection).get(keyOf(next.metadata))?.object;
    if (dryRun || (stored !== undefined && equal(stored.metadata, next.metadata))) return next;
    const written = store.put(collection, encode?.(next) ?? next);
    return (view?.(written) ?? written).object;
  }

  #remove({ collection, encode, view }: Resource, last: ApiObject, { dryRun }: DeleteRequest): ApiObject {
    if (dryRun) return last;
    const removed = this.#context.store.remove(collection, encode?.(last) ?? last);
    return (view?.(removed) ?? removed).object;
  }

  #now(): string {
    return timestamp(this.#context.clock.now());
  }
}

/** Throws 409 where the object is not the one, or not in the state, that the request is about. */
export function checkPreconditions(
  resource: Resource,
  { metadata }: ApiObject,
  { uid, resourceVersion }: DeleteRequest,
): void {
  const wrong = (what: string, given: string, found = ''): void => {
    const message = `Precondition failed: ${what} in precondition: ${given}, ${what} in object meta: ${found}`;
    throw conflict(resource, metadata.name, message);
  };
  if (uid !== undefined && uid !== metadata.uid) wrong('UID', uid, metadata.uid);
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    wrong('ResourceVersion', resourceVersion, metadata.resourceVersion);
}

/** The garbage collector's finalizers say what is to become of the dependents; the last request's word counts. */
function finalizersOf({ finalizers = [] }: Metadata, { propagation }: DeleteRequest): string[] {
  if (propagation === undefined) return finalizers;
  const others = finalizers.filter((name) => name !== 'foregroundDeletion' && name !== 'orphan');
  if (propagation === 'Foreground') others.push('foregroundDeletion');
  if (propagation === 'Orphan') others.push('orphan');
  return others.length === finalizers.length && others.every((name) => finalizers.includes(name)) ? finalizers : others;
}
