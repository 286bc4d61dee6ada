import { describe, expect, it } from 'vitest';
import type { Pod, StatefulSet } from '@groundcrew/controller-runtime';
import { identityLabels, planStatefulSet } from './stateful-set.ts';

function aSet(image = 'v1'): StatefulSet {
  const template = { spec: { containers: [{ name: 'agent', image }] } };
  const spec = { replicas: 2, selector: {}, serviceName: 'web', template };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'web' }, spec };
}

function aPod(ordinal: number, { of = aSet(), ready = true, deleted = false, phase = 'Running' } = {}): Pod {
  const deletionTimestamp = '2026-11-21T00:00:00Z';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `web-${ordinal}`,
      labels: identityLabels(of, ordinal),
      ...(deleted ? { deletionTimestamp } : {}),
    },
    status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const step = (set: StatefulSet, pods: readonly Pod[]) => {
  const { create, remove } = planStatefulSet(set, pods);
  return { create, remove: remove.map(({ metadata }) => metadata.name) };
};

describe('a StatefulSet', () => {
  it('creates all missing pods at once, and none in place of one that terminates', () => {
    expect(step(aSet(), [])).toEqual({ create: [0, 1], remove: [] });
    expect(step(aSet(), [aPod(1, { deleted: true })])).toEqual({ create: [0], remove: [] });
  });

  it('replaces pods of an old template one at a time, the highest first, when those above are Ready', () => {
    const old = [aPod(0), aPod(1)];
    const next = aSet('v2');
    expect(step(next, old)).toEqual({ create: [], remove: ['web-1'] });
    expect(step(next, [aPod(0), aPod(1, { deleted: true })])).toEqual({ create: [], remove: [] });
    expect(step(next, [aPod(0), aPod(1, { of: next, ready: false })])).toEqual({ create: [], remove: [] });
    expect(step(next, [aPod(0), aPod(1, { of: next })])).toEqual({ create: [], remove: ['web-0'] });
    expect(planStatefulSet(next, [aPod(0, { of: next }), aPod(1, { of: next })]).status).toMatchObject({
      readyReplicas: 2,
      updatedReplicas: 2,
    });
  });

  it('deletes pods that have ended or have no ordinal', () => {
    expect(step(aSet(), [aPod(0), aPod(1, { phase: 'Failed' }), aPod(2)])).toEqual({
      create: [],
      remove: ['web-2', 'web-1'],
    });
  });

  it('creates nothing during its deletion', () => {
    const set = aSet();
    const deleted = { ...set, metadata: { ...set.metadata, deletionTimestamp: '2026-11-21T00:00:00Z' } };
    expect(step(deleted, [])).toEqual({ create: [], remove: [] });
  });
});
