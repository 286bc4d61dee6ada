import type { KubeObject, ObjectRef } from './objects.ts';

/** `namespace/name`, with an empty namespace for cluster-scoped kinds: a key for maps and sets. */
export function keyOf(ref: ObjectRef): string {
  return `${ref.namespace ?? ''}/${ref.name}`;
}

/** Where an object is. */
export function refOf(object: KubeObject): ObjectRef {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}
