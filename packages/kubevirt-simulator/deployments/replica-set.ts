import type { Deployment, Kind, KubeObject, OwnerReference, Pod } from '@groundcrew/controller-runtime';

type DeploymentSpec = NonNullable<Deployment['spec']>;

/** apps/v1 ReplicaSet, as far as Deployments use it. */
export interface ReplicaSet extends KubeObject {
  spec?: Pick<DeploymentSpec, 'replicas' | 'selector'> & { template?: DeploymentSpec['template'] };
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

/** The owner reference of an object that `owner` controls. */
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

/** The owner reference to the controller of an object. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** For an index: `<kind>/<namespace>/<name>` of the controller of an object. */
export function controllerKey(object: KubeObject): string[] {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [ownerKey(owner.kind, object.metadata.namespace, owner.name)];
}

export function ownerKey(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

/** Pods to create and to delete, and the status. */
export interface ReplicaSetPlan {
  create: number;
  remove: readonly Pod[];
  status: NonNullable<ReplicaSet['status']>;
}

/** One step of a ReplicaSet towards its number of pods; terminating and ended pods do not count. */
export function planReplicaSet(replicaSet: ReplicaSet, pods: readonly Pod[]): ReplicaSetPlan {
  const active = pods.filter(isActive);
  const wanted = replicaSet.metadata.deletionTimestamp === undefined ? (replicaSet.spec?.replicas ?? 1) : active.length;
  const ready = active.filter(isReady);
  return {
    create: Math.max(0, wanted - active.length),
    remove: active.toSorted(byImportance).slice(0, Math.max(0, active.length - wanted)),
    status: {
      replicas: active.length,
      fullyLabeledReplicas: active.length,
      readyReplicas: ready.length,
      availableReplicas: ready.length,
      observedGeneration: replicaSet.metadata.generation ?? 0,
    },
  };
}

export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
}

/** Pods that are not ready first, then the youngest. */
function byImportance(left: Pod, right: Pod): number {
  const age = (pod: Pod): number => Date.parse(pod.metadata.creationTimestamp ?? '1970-01-01');
  return Number(isReady(left)) - Number(isReady(right)) || age(right) - age(left);
}
