import type { Deployment, Kind, KubeObject, OwnerReference } from '@groundcrew/controller-runtime';

type DeploymentSpec = NonNullable<Deployment['spec']>;

/** apps/v1 ReplicaSet, the part that Deployments are rolled out by. */
export interface ReplicaSet extends KubeObject {
  spec?: Pick<DeploymentSpec, 'replicas' | 'minReadySeconds' | 'selector'> & { template?: DeploymentSpec['template'] };
  status?: {
    replicas: number;
    fullyLabeledReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    observedGeneration?: number;
  };
}

export const REPLICA_SETS: Kind<ReplicaSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
};

/** The reference by which an object is owned and controlled. */
export function controllerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: 'apps/v1',
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The reference to whatever controls an object, if anything does. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** For an index: `<kind>/<namespace>/<name>` of what controls an object. */
export function controllerKey(object: KubeObject): string[] {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [ownerKey(owner.kind, object.metadata.namespace, owner.name)];
}

export function ownerKey(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}
