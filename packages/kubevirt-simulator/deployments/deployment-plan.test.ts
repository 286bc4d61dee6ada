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

/** The ReplicaSet that a Deployment's plan makes, as it is once `replicas` of its pods are available. */
function made(deployment: Deployment, replicas: number, revision = 1): ReplicaSet {
  const { create } = plan({ deployment });
  return {
    ...create,
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: '', ...create?.metadata, annotations: { 'deployment.kubernetes.io/revision': String(revision) } },
    spec: { selector: {}, ...create?.spec, replicas },
    status: { replicas, readyReplicas: replicas, availableReplicas: replicas },
  };
}

describe('a Deployment', () => {
  it('makes a ReplicaSet of its template, whose pods bear the template’s hash', () => {
    const { create } = plan({});
    const hash = create?.metadata.labels?.['pod-template-hash'];
    expect(create?.metadata.name).toBe(`web-${String(hash)}`);
    expect(create?.spec?.selector.matchLabels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(create?.spec?.template?.metadata?.labels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(create?.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', uid: 'd1', controller: true }]);
    expect(create?.spec?.replicas).toBe(2);
  });

  it('knows its ReplicaSet again', () => {
    const result = plan({ replicaSets: [made(aDeployment('v1'), 2)] });
    expect(result.create).toBeUndefined();
    expect(result.scale.size).toBe(0);
    expect(result.revision).toBe('1');
  });

  it('begins a rollout with as many pods as the surge leaves room for', () => {
    const { create, revision } = plan({ deployment: aDeployment('v2'), replicaSets: [made(aDeployment('v1'), 2)] });
    expect(create?.spec?.replicas).toBe(1);
    expect(revision).toBe('2');
  });

  it('begins a recreation with none', () => {
    const deployment = aDeployment('v2', { strategy: { type: 'Recreate' } });
    expect(
      plan({ deployment, replicaSets: [made(aDeployment('v1'), 2)], oldPodsRun: true }).create?.spec?.replicas,
    ).toBe(0);
  });

  it('gives a template that comes back the newest revision', () => {
    const replicaSets = [made(aDeployment('v1'), 0, 1), made(aDeployment('v2'), 2, 2)];
    const result = plan({ deployment: aDeployment('v1'), replicaSets });
    expect(result.revision).toBe('3');
    expect(result.current?.metadata.name).toBe(replicaSets[0]?.metadata.name);
  });

  it('keeps as many old ReplicaSets as its history has place for', () => {
    const old = ['v1', 'v2', 'v3'].map((image, index) => made(aDeployment(image), 0, index + 1));
    const deployment = aDeployment('v4', { revisionHistoryLimit: 1 });
    const { prune } = plan({ deployment, replicaSets: [...old, made(aDeployment('v4'), 2, 4)] });
    expect(prune.map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'])).toEqual([
      '1',
      '2',
    ]);
  });
});

describe('the status of a Deployment', () => {
  it('is Available and has progressed when all pods are there', () => {
    const { status } = plan({ replicaSets: [made(aDeployment('v1'), 2)] });
    expect(status).toMatchObject({
      observedGeneration: 2,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 0,
    });
    expect(status.conditions).toMatchObject([
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ]);
  });

  it('says when it has not progressed for too long', () => {
    const deployment = aDeployment('v1', { progressDeadlineSeconds: 60 });
    const replicaSets = [made(deployment, 2)].map((set) => ({ ...set, status: { replicas: 2 } }));
    const first = plan({ deployment, replicaSets }).status;
    const later = plan({ deployment: { ...deployment, status: first }, replicaSets, now: NOW + 61_000 }).status;
    expect(first.conditions).toMatchObject([{ status: 'False' }, { reason: 'ReplicaSetUpdated' }]);
    expect(later.conditions?.[1]).toMatchObject({
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
    });
  });
});
