import { refOf } from '../object-key.ts';
import type { Kind, KubeObject, ObjectRef } from '../objects.ts';

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
