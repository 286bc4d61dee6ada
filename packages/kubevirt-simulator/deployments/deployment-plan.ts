import type { Deployment, Draft } from '@groundcrew/controller-runtime';
import { deploymentStatusOf, isComplete, rollingUpdateOf, type DeploymentStatus } from './deployment-status.ts';
import { hashOf, HASH_LABEL, sameTemplate, withHash } from './pod-template.ts';
import { controllerReference, type ReplicaSet } from './replica-set.ts';
import { limitsOf, recreate, rollingUpdate, type Scales, type Share } from './rollout.ts';

export const REVISION = 'deployment.kubernetes.io/revision';

export interface DeploymentView {
  deployment: Deployment;
  /** Those that the Deployment controls. */
  replicaSets: readonly ReplicaSet[];
  /** Pods of ReplicaSets other than the present one's are still there, terminating ones included. */
  oldPodsRun: boolean;
  now: number;
}

/** What one look at a Deployment comes to; all of it may be written in any order. */
export interface DeploymentPlan {
  create?: Draft<ReplicaSet>;
  scale: Scales;
  /** The ReplicaSet's and the Deployment's revision, where they do not have it yet. */
  revision: string;
  current?: ReplicaSet;
  /** ReplicaSets without pods that the history has no place for. */
  prune: readonly ReplicaSet[];
  status: DeploymentStatus;
}

/** One step of a Deployment towards its spec. */
export function planDeployment(view: DeploymentView): DeploymentPlan {
  const { deployment, replicaSets, now } = view;
  const template = deployment.spec?.template;
  const byAge = replicaSets.toSorted((left, right) => revisionOf(left) - revisionOf(right));
  const current = byAge.findLast(
    ({ spec }) => spec?.template !== undefined && template !== undefined && sameTemplate(spec.template, template),
  );
  const old = byAge.filter((replicaSet) => replicaSet !== current);
  const status = deploymentStatusOf({ deployment, current, all: replicaSets, now });
  const highest = old.reduce((max, replicaSet) => Math.max(max, revisionOf(replicaSet)), 0);
  const revision = String(current !== undefined && revisionOf(current) > highest ? revisionOf(current) : highest + 1);
  if (current === undefined) {
    const create = replicaSetOf(deployment, revision, initialReplicas(view, old));
    return { ...(create === undefined ? {} : { create }), scale: new Map(), revision, prune: [], status };
  }
  return { current, scale: scales(view, current, old), revision, prune: surplus(deployment, old, status), status };
}

function scales({ deployment, oldPodsRun }: DeploymentView, current: ReplicaSet, old: readonly ReplicaSet[]): Scales {
  const replicas = deployment.spec?.replicas ?? 1;
  const rollout = { replicas, current: shareOf(current), old: old.map(shareOf) };
  if (isRecreate(deployment)) return recreate(rollout, oldPodsRun);
  return rollingUpdate({ ...rollout, ...limitsOf(replicas, rollingUpdateOf(deployment)) });
}

function shareOf({ metadata, spec, status }: ReplicaSet): Share {
  return { name: metadata.name, replicas: spec?.replicas ?? 0, available: status?.availableReplicas ?? 0 };
}

/** A new ReplicaSet begins with what the surge leaves room for; where pods are to be recreated, with none. */
function initialReplicas({ deployment, oldPodsRun }: DeploymentView, old: readonly ReplicaSet[]): number {
  const replicas = deployment.spec?.replicas ?? 1;
  const present = old.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
  if (isRecreate(deployment)) return present > 0 || oldPodsRun ? 0 : replicas;
  const { maxSurge } = limitsOf(replicas, rollingUpdateOf(deployment));
  return Math.max(0, Math.min(replicas, replicas + maxSurge - present));
}

function replicaSetOf(deployment: Deployment, revision: string, replicas: number): Draft<ReplicaSet> | undefined {
  const { metadata, spec } = deployment;
  if (spec === undefined) return undefined;
  const hash = hashOf(spec.template);
  const template = withHash(spec.template, hash);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...template.metadata?.labels },
      annotations: { [REVISION]: revision },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [HASH_LABEL]: hash } },
      template,
    },
  };
}

/** Old ReplicaSets beyond the history's limit, oldest first, once the rollout is complete. */
function surplus(deployment: Deployment, old: readonly ReplicaSet[], status: DeploymentStatus): ReplicaSet[] {
  if (!isComplete(status, deployment.spec?.replicas ?? 1)) return [];
  const idle = old.filter(({ spec, status: present }) => (spec?.replicas ?? 0) === 0 && (present?.replicas ?? 0) === 0);
  return idle.slice(0, Math.max(0, idle.length - (deployment.spec?.revisionHistoryLimit ?? 10)));
}

function isRecreate(deployment: Deployment): boolean {
  return deployment.spec?.strategy?.type === 'Recreate';
}

function revisionOf(replicaSet: ReplicaSet): number {
  return Number(replicaSet.metadata.annotations?.[REVISION] ?? '0');
}
