import { refOf } from '../object-key.ts';
import type { Kind, KubeObject, ObjectRef } from '../objects.ts';

/** For `source`: the object itself. */
export function self(object: KubeObject): ObjectRef[] {
  return [refOf(object)];
}

/** For `source`: the object of that kind, of whichever version, that controls this one. */
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
