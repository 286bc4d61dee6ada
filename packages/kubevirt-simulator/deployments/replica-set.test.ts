import { expect, it } from 'vitest';
import type { Pod } from '@groundcrew/controller-runtime';
import { planReplicaSet, type ReplicaSet } from './replica-set.ts';

function aPod(
  name: string,
  change: { ready?: boolean; created?: number; deleted?: boolean; phase?: string } = {},
): Pod {
  const { ready = false, created = 0, deleted = false, phase = 'Running' } = change;
  const creationTimestamp = new Date(created).toISOString();
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, creationTimestamp, ...(deleted ? { deletionTimestamp: creationTimestamp } : {}) },
    status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

function aReplicaSet(replicas: number): ReplicaSet {
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web' }, spec: { replicas, selector: {} } };
}

it('a ReplicaSet creates missing pods; terminating and ended pods do not count', () => {
  const pods = [aPod('a'), aPod('b', { deleted: true }), aPod('c', { phase: 'Failed' })];
  expect(planReplicaSet(aReplicaSet(3), pods)).toMatchObject({ create: 2, remove: [], status: { replicas: 1 } });
});

it('a ReplicaSet removes pods that are not ready first, then the youngest', () => {
  const pods = [aPod('old', { ready: true }), aPod('young', { ready: true, created: 5000 }), aPod('unready')];
  const { remove } = planReplicaSet(aReplicaSet(1), pods);
  expect(remove.map(({ metadata }) => metadata.name)).toEqual(['unready', 'young']);
});

it('a ReplicaSet creates nothing during its deletion', () => {
  const { metadata, ...replicaSet } = aReplicaSet(2);
  const deleted = { ...replicaSet, metadata: { ...metadata, deletionTimestamp: '2026-11-21T00:00:00Z' } };
  expect(planReplicaSet(deleted, [])).toMatchObject({ create: 0, remove: [] });
});
