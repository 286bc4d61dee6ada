import type { Pod } from '@groundcrew/controller-runtime';
import type { ReplicaSet } from './replica-set.ts';

export type ReplicaSetStatus = NonNullable<ReplicaSet['status']>;

export interface ReplicaSetView {
  replicaSet: ReplicaSet;
  /** Those that the ReplicaSet controls. */
  pods: readonly Pod[];
  now: number;
}

export interface ReplicaSetPlan {
  /** Pods to make. */
  create: number;
  remove: readonly Pod[];
  status: ReplicaSetStatus;
  /** Milliseconds until a ready pod becomes an available one. */
  retryAfter?: number;
}

/** One step of a ReplicaSet towards its number of pods. Pods that end or have ended do not count. */
export function planReplicaSet({ replicaSet, pods, now }: ReplicaSetView): ReplicaSetPlan {
  const active = pods.filter(isActive);
  const wanted = replicaSet.metadata.deletionTimestamp === undefined ? (replicaSet.spec?.replicas ?? 1) : active.length;
  const wait = (replicaSet.spec?.minReadySeconds ?? 0) * 1000;
  const untilAvailable = active
    .map((pod) => readySince(pod))
    .filter((since) => since !== undefined)
    .map((since) => since + wait - now);
  const waits = untilAvailable.filter((milliseconds) => milliseconds > 0);
  return {
    create: Math.max(0, wanted - active.length),
    remove: active.toSorted(byDispensability).slice(0, Math.max(0, active.length - wanted)),
    status: {
      replicas: active.length,
      fullyLabeledReplicas: active.length,
      readyReplicas: untilAvailable.length,
      availableReplicas: untilAvailable.length - waits.length,
      observedGeneration: replicaSet.metadata.generation ?? 0,
    },
    ...(waits.length === 0 ? {} : { retryAfter: Math.min(...waits) }),
  };
}

function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** Since when the pod is ready, milliseconds since 1970; undefined where it is not. */
function readySince({ status }: Pod): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? Date.parse(ready.lastTransitionTime ?? '1970-01-01') : undefined;
}

/** Pods that do not serve go first, then the youngest. */
function byDispensability(left: Pod, right: Pod): number {
  const serves = (pod: Pod): number => (readySince(pod) === undefined ? 0 : 1);
  const age = (pod: Pod): number => Date.parse(pod.metadata.creationTimestamp ?? '1970-01-01');
  return serves(left) - serves(right) || age(right) - age(left);
}
