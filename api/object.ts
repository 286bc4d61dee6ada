import type { z } from 'zod';
import type { condition } from './schemas/fields.ts';

/**
 * The shapes that every Kubernetes object has, as JSON on the wire (times are RFC 3339 strings). They are structurally
 * equal to those of the controller runtime; they stand here so that the resources can be reused without it.
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

/** Names a resource of the API and, for the compiler, the type of its objects; `plural` is the REST path segment. */
export interface Kind<T extends KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set: carries T for the compiler. */
  readonly object?: T;
}

/** Of two objects of a kind: by creation time, and then by uid. None is older than itself. */
export function isOlder({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  const [createdA, createdB] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  if (createdA !== createdB) return createdA < createdB;
  return (a.uid ?? '') < (b.uid ?? '');
}

/** metav1.Condition. */
export type Condition = z.input<typeof condition>;
