import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { timestamp, type Deployment, type Draft } from '@groundcrew/controller-runtime';
import { controllerReference, type ReplicaSet } from './replica-set.ts';

type PodTemplate = NonNullable<Deployment['spec']>['template'];
type DeploymentStatus = NonNullable<Deployment['status']>;
type DeploymentCondition = NonNullable<DeploymentStatus['conditions']>[number];

const HASH_LABEL = 'pod-template-hash';

export interface DeploymentView {
  deployment: Deployment;
  /** ReplicaSets that the Deployment controls. */
  replicaSets: readonly ReplicaSet[];
  /** Pods of an earlier template still exist, including terminating ones. */
  oldPodsRun: boolean;
  now: number;
}

/** The writes of one step of a Deployment. */
export interface DeploymentPlan {
  create?: Draft<ReplicaSet>;
  /** New numbers of pods, by name of the ReplicaSet. */
  scale: ReadonlyMap<string, number>;
  /** Old ReplicaSets without pods beyond the history limit. */
  prune: readonly ReplicaSet[];
  status: DeploymentStatus;
}

/**
 * One step of a Deployment. A rolling update starts all new pods and ends the old ones when the new ones are available,
 * without regard to `maxSurge` and `maxUnavailable`. Recreate ends all old pods first.
 */
export function planDeployment(view: DeploymentView): DeploymentPlan {
  const { deployment, replicaSets, oldPodsRun } = view;
  const current = replicaSets.find((replicaSet) => isCurrent(replicaSet, deployment));
  const old = replicaSets.filter((replicaSet) => replicaSet !== current);
  const status = statusOf(view, current);
  if (current === undefined) {
    const waits = isRecreate(deployment) && (oldPodsRun || old.some(hasReplicas));
    const create = replicaSetOf(deployment, waits ? 0 : wantedBy(deployment));
    return { ...(create === undefined ? {} : { create }), scale: new Map(), prune: [], status };
  }
  return { scale: scales(view, current, old), prune: surplus(deployment, old, status), status };
}

/** Whether the ReplicaSet has the template of the Deployment. */
export function isCurrent({ spec }: ReplicaSet, deployment: Deployment): boolean {
  const template = deployment.spec?.template;
  if (spec?.template === undefined || template === undefined) return false;
  return isDeepStrictEqual(comparable(spec.template), comparable(template));
}

function scales({ deployment, oldPodsRun }: DeploymentView, current: ReplicaSet, old: readonly ReplicaSet[]) {
  const wanted = wantedBy(deployment);
  const isScaled = (current.spec?.replicas ?? 0) === wanted;
  const scaled = isScaled ? new Map<string, number>() : new Map([[current.metadata.name, wanted]]);
  const ended = new Map(old.filter(hasReplicas).map(({ metadata }) => [metadata.name, 0]));
  if (isRecreate(deployment)) {
    if (ended.size > 0) return ended;
    return oldPodsRun ? new Map<string, number>() : scaled;
  }
  return isScaled && (current.status?.availableReplicas ?? 0) >= wanted ? ended : scaled;
}

function replicaSetOf(deployment: Deployment, replicas: number): Draft<ReplicaSet> | undefined {
  const { metadata, spec } = deployment;
  if (spec === undefined) return undefined;
  const hash = createHash('sha256').update(JSON.stringify(spec.template)).digest('hex').slice(0, 10);
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}

/** The template without what the API server and the ReplicaSet add. JSON drops undefined fields. */
function comparable(template: PodTemplate): unknown {
  const { [HASH_LABEL]: _hash, ...labels } = template.metadata?.labels ?? {};
  const { creationTimestamp: _time, ...metadata } = template.metadata ?? {};
  return JSON.parse(JSON.stringify({ ...template, metadata: { ...metadata, labels } })) as unknown;
}

function surplus(deployment: Deployment, old: readonly ReplicaSet[], status: DeploymentStatus): ReplicaSet[] {
  if (!isComplete(status, wantedBy(deployment))) return [];
  const created = ({ metadata }: ReplicaSet): number => Date.parse(metadata.creationTimestamp ?? '1970-01-01');
  const idle = old
    .filter((replicaSet) => !hasReplicas(replicaSet) && (replicaSet.status?.replicas ?? 0) === 0)
    .sort((left, right) => created(left) - created(right));
  return idle.slice(0, Math.max(0, idle.length - (deployment.spec?.revisionHistoryLimit ?? 10)));
}

function statusOf({ deployment, replicaSets, now }: DeploymentView, current: ReplicaSet | undefined): DeploymentStatus {
  const wanted = wantedBy(deployment);
  const total = (count: 'replicas' | 'readyReplicas' | 'availableReplicas'): number =>
    replicaSets.reduce((sum, replicaSet) => sum + (replicaSet.status?.[count] ?? 0), 0);
  const [replicas, availableReplicas] = [total('replicas'), total('availableReplicas')];
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas,
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total('readyReplicas'),
    availableReplicas,
    unavailableReplicas: Math.max(0, Math.max(wanted, replicas) - availableReplicas),
  };
  const [is, reason, message] =
    availableReplicas >= wanted
      ? ['True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.']
      : ['False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'];
  const [progress, what] =
    current !== undefined && isComplete(status, wanted)
      ? ['NewReplicaSetAvailable', 'has successfully progressed']
      : ['ReplicaSetUpdated', 'is progressing'];
  const progressing = `ReplicaSet "${current?.metadata.name ?? ''}" ${what}.`;
  const conditions = [
    { type: 'Available', status: is, reason, message },
    { type: 'Progressing', status: 'True', reason: progress, message: progressing },
  ].map((condition) => withTimes(condition, deployment.status?.conditions ?? [], timestamp(now)));
  return { ...status, conditions };
}

/** Whether all pods have the current template and are available. */
function isComplete(status: DeploymentStatus, wanted: number): boolean {
  return [status.updatedReplicas, status.replicas, status.availableReplicas].every((count) => count === wanted);
}

function withTimes(
  next: DeploymentCondition,
  conditions: readonly DeploymentCondition[],
  now: string,
): DeploymentCondition {
  const old = conditions.find(({ type }) => type === next.type);
  const isSame = old?.status === next.status;
  return {
    ...next,
    lastUpdateTime: isSame && old.reason === next.reason ? (old.lastUpdateTime ?? now) : now,
    lastTransitionTime: isSame ? (old.lastTransitionTime ?? now) : now,
  };
}

function wantedBy({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

function hasReplicas({ spec }: ReplicaSet): boolean {
  return (spec?.replicas ?? 0) > 0;
}

function isRecreate({ spec }: Deployment): boolean {
  return spec?.strategy?.type === 'Recreate';
}
