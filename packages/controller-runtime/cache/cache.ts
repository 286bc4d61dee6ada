import type { Kind, KubeObject, ObjectRef } from '../objects.ts';

/** A change of one object. */
export type Change<T extends KubeObject> =
  | { type: 'added'; object: T }
  | { type: 'modified'; object: T; previous: T }
  /** `object` is the last known state. */
  | { type: 'deleted'; object: T };

export type Listener<T extends KubeObject> = (change: Change<T>) => void;

/** The index values of an object, for `byIndex`. */
export type IndexFunction<T> = (object: T) => readonly string[];

/**
 * The last known objects of one kind on the API server. All readers share the objects and must not modify them. An
 * object may be older than a write that has just completed.
 */
export interface Cache<T extends KubeObject> {
  readonly kind: Kind<T>;
  /** Whether the initial list is complete. */
  readonly hasSynced: boolean;
  get(ref: ObjectRef): T | undefined;
  /** All objects, or the objects of one namespace. */
  list(namespace?: string): readonly T[];
  /** @throws TypeError for an unknown index */
  byIndex(index: string, value: string): readonly T[];
  /**
   * Calls `listener` with 'added' for each existing object before it returns, and then for each change after the cache
   * is updated. Exceptions of the listener are logged and otherwise ignored.
   *
   * @returns ends the subscription
   */
  subscribe(listener: Listener<T>): () => void;
}
