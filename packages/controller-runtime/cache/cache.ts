import type { Kind, KubeObject, ObjectRef } from '../objects.ts';

/** What happened to one object since it was last told of. */
export type Change<T extends KubeObject> =
  | { type: 'added'; object: T }
  | { type: 'modified'; object: T; previous: T }
  /** `object` is as it was last known. */
  | { type: 'deleted'; object: T };

export type Listener<T extends KubeObject> = (change: Change<T>) => void;

/** Values under which an object is found by `byIndex`. */
export type IndexFunction<T> = (object: T) => readonly string[];

/**
 * The objects of one kind as the API server last told of them. All readers share them: they are never to be written
 * to. What is read may be older than what was just written.
 */
export interface Cache<T extends KubeObject> {
  readonly kind: Kind<T>;
  /** Whether the objects that were there at the start are all in. */
  readonly hasSynced: boolean;
  get(ref: ObjectRef): T | undefined;
  /** All objects, or those of one namespace. */
  list(namespace?: string): readonly T[];
  /** @throws TypeError for an index that the cache was not made with */
  byIndex(index: string, value: string): readonly T[];
  /**
   * Calls `listener` with 'added' for each object that is there, before it returns, and from then on with each
   * change, after the cache holds it. What the listener throws is logged, and does no other harm.
   *
   * @returns ends the subscription
   */
  subscribe(listener: Listener<T>): () => void;
}
