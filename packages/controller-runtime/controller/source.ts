import type { Cache, Change } from '../cache/cache.ts';
import { type Kind, type KubeObject, type ObjectRef, refOf } from '../objects.ts';

/** A source of reconcile requests. */
export interface Source {
  /** Calls `enqueue` for all existing objects and then for changes. Returns a function that stops it. */
  start(enqueue: (ref: ObjectRef) => void): () => void;
}

/**
 * Enqueues the results of `map` for each added, modified or deleted object of a cache. For a modified object, `map` is
 * called with both states, so that previous references are reconciled too.
 *
 * @param predicate changes for which it returns false are ignored
 */
export function source<T extends KubeObject>(
  cache: Cache<T>,
  map: (object: T) => readonly ObjectRef[],
  predicate: Predicate<T> = () => true,
): Source {
  return {
    start: (enqueue) =>
      cache.subscribe((change) => {
        if (!predicate(change)) return;
        for (const ref of map(change.object)) enqueue(ref);
        if (change.type === 'modified') for (const ref of map(change.previous)) enqueue(ref);
      }),
  };
}

/** Map function for `source`: the object itself. */
export function self(object: KubeObject): ObjectRef[] {
  return [refOf(object)];
}

/** Map function for `source`: the controlling owner of this kind, in any version. */
export function ownerOf(
  kind: Pick<Kind<KubeObject>, 'group' | 'kind' | 'namespaced'>,
): (object: KubeObject) => ObjectRef[] {
  return (object) => {
    const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
    if (owner?.kind !== kind.kind || groupOf(owner.apiVersion) !== kind.group) return [];
    const { namespace } = object.metadata;
    return [kind.namespaced && namespace !== undefined ? { namespace, name: owner.name } : { name: owner.name }];
  };
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

/** Whether a change is relevant. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean;

/** Ignores updates of status alone. Changes of kinds without a generation (Secret, ConfigMap) are always relevant. */
export const generationChanged: Predicate = (change) =>
  change.type !== 'modified' ||
  change.object.metadata.generation === undefined ||
  change.object.metadata.generation !== change.previous.metadata.generation;

export const labelsChanged: Predicate = (change) =>
  change.type !== 'modified' || differ(change.object.metadata.labels, change.previous.metadata.labels);

export const annotationsChanged: Predicate = (change) =>
  change.type !== 'modified' || differ(change.object.metadata.annotations, change.previous.metadata.annotations);

/** Whether a change is relevant to any of the predicates. */
export function or<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

function differ(a: Record<string, string> = {}, b: Record<string, string> = {}): boolean {
  const names = Object.keys(a);
  return names.length !== Object.keys(b).length || names.some((name) => a[name] !== b[name]);
}
