import { describe, expect, it } from 'vitest';
import type { Deployment } from '@groundcrew/controller-runtime';
import { planDeployment, type DeploymentPlan, type DeploymentView } from './deployment-plan.ts';
import type { ReplicaSet } from './replica-set.ts';

const NOW = Date.parse('2026-11-21T00:00:00Z');

function aDeployment(image: string, spec: Partial<NonNullable<Deployment['spec']>> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', uid: 'd1', generation: 2 },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
      ...spec,
    },
  };
}

function plan(view: Partial<DeploymentView>): DeploymentPlan {
  return planDeployment({ deployment: aDeployment('v1'), replicaSets: [], oldPodsRun: false, now: NOW, ...view });
}

/** The ReplicaSet of a Deployment, with `replicas` available pods. */
function made(deployment: Deployment, replicas: number, created = 1): ReplicaSet {
  const { create } = plan({ deployment });
  return {
    ...create,
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: '', ...create?.metadata, creationTimestamp: new Date(created).toISOString() },
    spec: { selector: {}, ...create?.spec, replicas },
    status: { replicas, readyReplicas: replicas, availableReplicas: replicas },
  };
}

describe('a Deployment', () => {
  const [v1, v2] = [aDeployment('v1'), aDeployment('v2')];
  const scaleOf = (view: Partial<DeploymentView>) => [...plan({ deployment: v2, ...view }).scale.values()];

  it('creates a ReplicaSet with the hash of its template, once', () => {
    const { create } = plan({});
    const hash = create?.metadata.labels?.['pod-template-hash'];
    expect(create?.metadata).toMatchObject({
      name: `web-${String(hash)}`,
      ownerReferences: [{ kind: 'Deployment', uid: 'd1', controller: true }],
    });
    expect(create?.spec).toMatchObject({
      replicas: 2,
      selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } },
      template: { metadata: { labels: { app: 'web', 'pod-template-hash': hash } } },
    });
    const again = plan({ replicaSets: [made(v1, 2)] });
    expect([again.create, again.scale.size]).toEqual([undefined, 0]);
  });

  it('ends the old pods of a rolling update when the new ones are available', () => {
    expect(plan({ deployment: v2, replicaSets: [made(v1, 2)] }).create?.spec?.replicas).toBe(2);
    const unavailable = { ...made(v2, 2), status: { replicas: 2, availableReplicas: 1 } };
    expect(scaleOf({ replicaSets: [made(v1, 2), unavailable] })).toEqual([]);
    expect(scaleOf({ replicaSets: [made(v1, 2), made(v2, 2)] })).toEqual([0]);
  });

  it('starts the new pods of a Recreate when the old ones are gone', () => {
    const deployment = aDeployment('v2', { strategy: { type: 'Recreate' } });
    const create = (oldPodsRun: boolean, replicas: number) =>
      plan({ deployment, replicaSets: [made(v1, replicas)], oldPodsRun }).create?.spec?.replicas;
    expect([create(true, 2), create(true, 0), create(false, 0)]).toEqual([0, 0, 2]);
    expect(scaleOf({ deployment, replicaSets: [made(v1, 2), made(v2, 0)], oldPodsRun: true })).toEqual([0]);
    expect(scaleOf({ deployment, replicaSets: [made(v1, 0), made(v2, 0)], oldPodsRun: true })).toEqual([]);
    expect(scaleOf({ deployment, replicaSets: [made(v1, 0), made(v2, 0)] })).toEqual([2]);
  });

  it('is scaled', () => {
    expect(scaleOf({ replicaSets: [made(v2, 3)] })).toEqual([2]);
  });

  it('keeps as many old ReplicaSets as its history limit permits', () => {
    const old = ['v1', 'v2', 'v3'].map((image, index) => made(aDeployment(image), 0, index));
    const deployment = aDeployment('v4', { revisionHistoryLimit: 1 });
    expect(plan({ deployment, replicaSets: [...old, made(deployment, 2)] }).prune).toEqual(old.slice(0, 2));
  });

  it('is Available and has progressed when all pods are available', () => {
    const { status } = plan({ replicaSets: [made(v1, 2)] });
    expect(status).toMatchObject({
      observedGeneration: 2,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 0,
      conditions: [
        { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    });
    expect(plan({}).status.conditions).toMatchObject([{ status: 'False' }, { reason: 'ReplicaSetUpdated' }]);
  });
});
