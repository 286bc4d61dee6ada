/** The metadata fields that Groundcrew reads or writes; times are RFC 3339 strings, as in JSON. */
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

/** Any Kubernetes object in its JSON form. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** The object to send in a create or an apply; the server sets the missing fields. */
export type Draft<T extends KubeObject> = Omit<T, 'metadata' | 'status'> & {
  metadata: Partial<T['metadata']>;
  status?: unknown;
};

/** A page of a list; `metadata.continue` is set if there are more pages. */
export interface ObjectList<T extends KubeObject> {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: T[];
}

/** metav1.Condition. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

/**
 * Names a resource of the API and, for the compiler, the type of its objects.
 * `group` is '' for the core group; `plural` is the REST path segment.
 */
export interface Kind<T extends KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Reads ask for the metadata alone. */
  readonly metadataOnly?: boolean;
  /** Never set: only carries the type T. */
  readonly object?: T;
}

/** A kind whose objects are read without spec, status and data, which the server does not send. */
export function metadataOf(kind: Kind<KubeObject>): Kind<KubeObject> {
  const { group, version, kind: name, plural, namespaced } = kind;
  return { group, version, kind: name, plural, namespaced, metadataOnly: true };
}

/** Whether a value is an object of JSON, and not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Namespace and name of an object; `namespace` is absent for cluster-scoped kinds. */
export interface ObjectRef {
  namespace?: string;
  name: string;
}

/** `apiVersion` of a kind: `v1` for the core group, else `group/version`. */
export function apiVersionOf(kind: Pick<Kind<KubeObject>, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** `namespace/name` as a key for maps and sets; the namespace is empty for cluster-scoped kinds. */
export function keyOf(ref: ObjectRef): string {
  return `${ref.namespace ?? ''}/${ref.name}`;
}

/** Namespace and name of an object. */
export function refOf(object: KubeObject): ObjectRef {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/** The metadata by which an object and its version are known, of which a cache needs no more. */
export function identityOf({ name, namespace, uid, resourceVersion }: ObjectMeta): ObjectMeta {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/**
 * Whether an object is the other one or a later state of it. Kubernetes 1.35 and later guarantee that resource versions of one resource are ordered numbers; earlier versions use
 * such numbers, too.
 */
export function isAsNew({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return versionOf(a.resourceVersion) >= versionOf(b.resourceVersion);
}

function versionOf(resourceVersion = ''): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
}
