import { clone, equal } from '../json.ts';
import { keyOf, timestamp, type ApiObject, type Metadata } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { conflict } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import type { DeleteRequest } from './delete-options.ts';
import { isHeld } from './writer.ts';

export interface Deletion {
  object: ApiObject;
  /** False if finalizers or a grace period delay the removal. */
  gone: boolean;
}

/** Deletes objects: immediately, or by a deletionTimestamp if there are finalizers or a grace period. */
export class Remover {
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Throws a StatusError if a precondition fails or the strategy refuses the deletion. */
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

  /** The first deletion of a kind that a controller removes; the request only marks the object. */
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

  /** Like rest.BeforeDelete of kube-apiserver: a second request can shorten the grace period, but not extend it. */
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
      // An end in the past becomes now. A nonzero grace period stays at least 1: only the kubelet ends the Pod.
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

/** Throws 409 if the object does not have the uid or the resourceVersion of the preconditions. */
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

/** Sets the garbage collector's finalizer of the propagation policy. The last request decides. */
function finalizersOf({ finalizers = [] }: Metadata, { propagation }: DeleteRequest): string[] {
  if (propagation === undefined) return finalizers;
  const others = finalizers.filter((name) => name !== 'foregroundDeletion' && name !== 'orphan');
  if (propagation === 'Foreground') others.push('foregroundDeletion');
  if (propagation === 'Orphan') others.push('orphan');
  return others.length === finalizers.length && others.every((name) => finalizers.includes(name)) ? finalizers : others;
}
