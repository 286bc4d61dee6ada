import { timestamp, type Deployment } from '@groundcrew/controller-runtime';
import type { ReplicaSet } from './replica-set.ts';
import { limitsOf } from './rollout.ts';

export type DeploymentStatus = NonNullable<Deployment['status']>;
type DeploymentCondition = NonNullable<DeploymentStatus['conditions']>[number];

export interface DeploymentStatusView {
  deployment: Deployment;
  /** The ReplicaSet of the present template, if it has been made. */
  current: ReplicaSet | undefined;
  all: readonly ReplicaSet[];
  now: number;
}

/** The status as kube-controller-manager's deployment controller writes it. */
export function deploymentStatusOf(view: DeploymentStatusView): DeploymentStatus {
  const { deployment, current, all } = view;
  const wanted = deployment.spec?.replicas ?? 1;
  const total = (count: (status: NonNullable<ReplicaSet['status']>) => number | undefined): number =>
    all.reduce((sum, { status }) => sum + (status === undefined ? 0 : (count(status) ?? 0)), 0);
  const availableReplicas = total((status) => status.availableReplicas);
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: total(({ replicas }) => replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total(({ readyReplicas }) => readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(
      0,
      Math.max(
        wanted,
        total(({ replicas }) => replicas),
      ) - availableReplicas,
    ),
  };
  return { ...status, conditions: conditionsOf(view, status, wanted) };
}

/** Whether all pods are of the present template, available, and alone. */
export function isComplete(status: DeploymentStatus, wanted: number): boolean {
  return status.updatedReplicas === wanted && status.replicas === wanted && status.availableReplicas === wanted;
}

function conditionsOf(view: DeploymentStatusView, status: DeploymentStatus, wanted: number): DeploymentCondition[] {
  const { deployment, now } = view;
  const { maxUnavailable } = limitsOf(wanted, rollingUpdateOf(deployment));
  const available = (status.availableReplicas ?? 0) >= wanted - maxUnavailable;
  const old = deployment.status?.conditions ?? [];
  return [
    condition(
      old,
      available
        ? {
            type: 'Available',
            status: 'True',
            reason: 'MinimumReplicasAvailable',
            message: 'Deployment has minimum availability.',
          }
        : {
            type: 'Available',
            status: 'False',
            reason: 'MinimumReplicasUnavailable',
            message: 'Deployment does not have minimum availability.',
          },
      now,
    ),
    progressing(view, status, wanted, old),
  ];
}

/** The limits of a rolling update as the Deployment names them. */
export function rollingUpdateOf(deployment: Deployment): {
  maxSurge?: number | string;
  maxUnavailable?: number | string;
} {
  const { maxSurge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {};
  return {
    ...(typeof maxSurge === 'number' || typeof maxSurge === 'string' ? { maxSurge } : {}),
    ...(typeof maxUnavailable === 'number' || typeof maxUnavailable === 'string' ? { maxUnavailable } : {}),
  };
}

function progressing(
  { deployment, current, now }: DeploymentStatusView,
  status: DeploymentStatus,
  wanted: number,
  old: readonly DeploymentCondition[],
): DeploymentCondition {
  const name = current?.metadata.name ?? '';
  const type = 'Progressing';
  if (current !== undefined && isComplete(status, wanted)) {
    const message = `ReplicaSet "${name}" has successfully progressed.`;
    return condition(old, { type, status: 'True', reason: 'NewReplicaSetAvailable', message }, now);
  }
  const moved = hasMoved(deployment.status, status);
  const last = old.find((candidate) => candidate.type === type);
  const since = Date.parse(last?.lastUpdateTime ?? timestamp(now));
  const deadline = (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000;
  if (!moved && now - since > deadline) {
    const message = `ReplicaSet "${name}" has timed out progressing.`;
    return condition(old, { type, status: 'False', reason: 'ProgressDeadlineExceeded', message }, now);
  }
  const message = `ReplicaSet "${name}" is progressing.`;
  const next = condition(old, { type, status: 'True', reason: 'ReplicaSetUpdated', message }, now);
  return moved ? { ...next, lastUpdateTime: timestamp(now) } : next;
}

function hasMoved(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const counts = ['updatedReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'] as const;
  return counts.some((count) => before?.[count] !== after[count]);
}

function condition(
  old: readonly DeploymentCondition[],
  next: { type: string; status: string; reason: string; message: string },
  now: number,
): DeploymentCondition {
  const last = old.find(({ type }) => type === next.type);
  const time = timestamp(now);
  const same = last?.status === next.status && last.reason === next.reason;
  return {
    ...next,
    lastUpdateTime: same ? (last.lastUpdateTime ?? time) : time,
    lastTransitionTime: last?.status === next.status ? (last.lastTransitionTime ?? time) : time,
  };
}
