import type { KubeObject, ObjectRef } from './objects.ts';

/** `namespace/name` as a key for maps and sets; the namespace is empty for cluster-scoped kinds. */
export function keyOf(ref: ObjectRef): string {
  return `${ref.namespace ?? ''}/${ref.name}`;
}

/** Namespace and name of an object. */
export function refOf(object: KubeObject): ObjectRef {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}
