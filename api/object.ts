import type { z } from 'zod';
import type { condition } from './schemas/fields.ts';

/**
 * Types of Kubernetes objects as JSON (times are RFC 3339 strings). They are structurally equal to those of the controller runtime,
 * and repeated here so that `groundcrew/api` does not need it.
 */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Any Kubernetes object. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** A resource of the API with the type of its objects; `plural` is the REST path segment. */
export interface Kind<T extends KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set: carries T for the compiler. */
  readonly object?: T;
}

/** Whether `a` is older than `b`: by creation time, then by uid. */
export function isOlder({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  const [createdA, createdB] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  if (createdA !== createdB) return createdA < createdB;
  return (a.uid ?? '') < (b.uid ?? '');
}

/** metav1.Condition. */
export type Condition = z.input<typeof condition>;

/** The resource of a namespaced kind; `plural` defaults to the lower-case kind with an `s`. */
export function kindOf<T extends KubeObject>(
  apiVersion: `${string}/${string}`,
  kind: string,
  plural = `${kind.toLowerCase()}s`,
): Kind<T> {
  const [group = '', version = ''] = apiVersion.split('/');
  return { group, version, kind, plural, namespaced: true };
}
