import { describe, expect, it } from 'vitest';
import type { Pod } from '@groundcrew/controller-runtime';
import type { ReplicaSet } from './replica-set.ts';
import { planReplicaSet } from './replica-set-plan.ts';

const NOW = Date.parse('2026-11-21T00:01:00Z');

function aPod(name: string, change: { ready?: string; created?: string; deleted?: boolean; phase?: string } = {}): Pod {
  const { ready, created = '2026-11-21T00:00:00Z', deleted = false, phase = 'Running' } = change;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, creationTimestamp: created, ...(deleted ? { deletionTimestamp: created } : {}) },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: ready === undefined ? 'False' : 'True', lastTransitionTime: ready ?? created },
      ],
    },
  };
}

function aReplicaSet(replicas: number, minReadySeconds = 0): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web' },
    spec: { replicas, minReadySeconds, selector: {} },
  };
}

const plan = (replicaSet: ReplicaSet, pods: Pod[]): ReturnType<typeof planReplicaSet> =>
  planReplicaSet({ replicaSet, pods, now: NOW });

describe('a ReplicaSet', () => {
  it('makes what is missing; pods that end or have ended do not count', () => {
    const pods = [aPod('a'), aPod('b', { deleted: true }), aPod('c', { phase: 'Failed' })];
    expect(plan(aReplicaSet(3), pods)).toMatchObject({ create: 2, remove: [], status: { replicas: 1 } });
  });

  it('takes away pods that do not serve first, then the youngest', () => {
    const ready = '2026-11-21T00:00:10Z';
    const pods = [aPod('old', { ready }), aPod('young', { ready, created: '2026-11-21T00:00:05Z' }), aPod('unready')];
    expect(plan(aReplicaSet(1), pods).remove.map(({ metadata }) => metadata.name)).toEqual(['unready', 'young']);
  });

  it('counts a pod as available when it has been ready for long enough, and looks again then', () => {
    const pods = [aPod('a', { ready: '2026-11-21T00:00:40Z' }), aPod('b', { ready: '2026-11-21T00:00:20Z' })];
    expect(plan(aReplicaSet(2, 30), pods)).toMatchObject({
      status: { readyReplicas: 2, availableReplicas: 1 },
      retryAfter: 10_000,
    });
  });

  it('makes nothing while it is being deleted', () => {
    const replicaSet = aReplicaSet(2);
    const leaving = { ...replicaSet, metadata: { ...replicaSet.metadata, deletionTimestamp: '2026-11-21T00:00:00Z' } };
    expect(plan(leaving, [])).toMatchObject({ create: 0, remove: [] });
  });
});
