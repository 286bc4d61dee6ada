import { createHash } from 'node:crypto';
import type { Pod, StatefulSet } from '@groundcrew/controller-runtime';
import { isActive, isReady } from './replica-set.ts';

const REVISION_LABEL = 'controller-revision-hash';

/** Ordinals whose pods to create, the pods to delete, and the status. */
export interface StatefulSetPlan {
  create: readonly number[];
  remove: readonly Pod[];
  status: NonNullable<StatefulSet['status']>;
}

/**
 * One step of a StatefulSet with `podManagementPolicy: Parallel`: missing pods are created at once; pods of an old template are replaced
 * one at a time from the highest ordinal, each when those above are Ready. A pod's successor is created when it is gone.
 *
 * @param pods those that it controls
 */
export function planStatefulSet(set: StatefulSet, pods: readonly Pod[]): StatefulSetPlan {
  const revision = revisionOf(set);
  const ordinals = [...Array(set.spec?.replicas ?? 1).keys()];
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  const found = ordinals.map((ordinal) => byName.get(podName(set, ordinal)));
  const existing = found.flatMap((pod) => pod ?? []);
  const kept = new Set(existing);
  const isGoing = set.metadata.deletionTimestamp !== undefined;
  const extra = pods.filter((pod) => !kept.has(pod));
  const ended = existing.filter((pod) => !isActive(pod));
  const outdated = isGoing ? undefined : nextOutdated(found, revision);
  const remove = [...extra, ...ended, ...(outdated === undefined ? [] : [outdated])];
  const active = existing.filter(isActive);
  const isNew = (pod: Pod): boolean => pod.metadata.labels?.[REVISION_LABEL] === revision;
  const updated = active.filter(isNew).length;
  const ready = active.filter(isReady).length;
  const isDone = updated === ordinals.length;
  return {
    create: isGoing ? [] : ordinals.filter((ordinal) => found[ordinal] === undefined),
    remove: remove.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    status: {
      observedGeneration: set.metadata.generation ?? 0,
      replicas: active.length,
      readyReplicas: ready,
      availableReplicas: ready,
      updatedReplicas: updated,
      currentReplicas: isDone ? updated : active.length - updated,
      currentRevision: isDone ? revision : (set.status?.currentRevision ?? revision),
      updateRevision: revision,
      collisionCount: 0,
    },
  };
}

/** The pod to replace next; undefined: none, or one above it is not Ready yet. */
function nextOutdated(found: readonly (Pod | undefined)[], revision: string): Pod | undefined {
  for (const pod of found.toReversed()) {
    if (pod === undefined || !isActive(pod)) return undefined;
    if (pod.metadata.labels?.[REVISION_LABEL] !== revision) return pod;
    if (!isReady(pod)) return undefined;
  }
  return undefined;
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

/** The labels that identify a pod of the set, in addition to those of its template. */
export function identityLabels(set: StatefulSet, ordinal: number): Record<string, string> {
  return {
    [REVISION_LABEL]: revisionOf(set),
    'statefulset.kubernetes.io/pod-name': podName(set, ordinal),
    'apps.kubernetes.io/pod-index': String(ordinal),
  };
}

/** The server stores fields in a fixed order, so the text of an unchanged template is the same. */
function revisionOf({ metadata, spec }: StatefulSet): string {
  const hash = createHash('sha256').update(JSON.stringify(spec?.template)).digest('hex');
  return `${metadata.name}-${hash.slice(0, 10)}`;
}
