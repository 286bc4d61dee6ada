import { describe, expect, it } from 'vitest';
import { decideMigration, type MigrationDecision, type MigrationView } from './migration-decision.ts';
import type { Migration, MigrationPhase, VirtualMachineInstance } from '../kubevirt/objects.ts';
import { aPod, aVmi, deleted } from '../testing/builders.ts';

function aMigration(phase?: MigrationPhase): Migration {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'job', namespace: 'vms', uid: 'job-uid', finalizers: ['kubevirt.io/migrationJobFinalize'] },
    spec: { vmiName: 'm' },
    ...(phase === undefined ? {} : { status: { phase } }),
  };
}

const target = {
  ...aPod(),
  metadata: { ...aPod().metadata, name: 'target' },
  spec: { nodeName: 'node02', containers: [] },
};

function underWay(): VirtualMachineInstance {
  const migrationState = {
    migrationUid: 'job-uid',
    sourceNode: 'node01',
    sourcePod: aPod().metadata.name,
    targetNode: 'node02',
    targetPod: 'target',
    startTimestamp: '1970-01-01T00:00:00Z',
  };
  return aVmi('Running', { nodeName: 'node01', migrationState });
}

function decide(view: Partial<MigrationView>): MigrationDecision {
  return decideMigration({
    migration: aMigration(),
    vmi: aVmi('Running', { nodeName: 'node01' }),
    source: aPod(),
    target: undefined,
    targetExpected: false,
    freeNode: 'node02',
    isReachable: (node) => node !== undefined,
    startedAt: undefined,
    migrationTime: 500,
    now: 1000,
    ...view,
  });
}

describe('a migration', () => {
  it('creates one pod on another node, or waits for a node', () => {
    const migration = aMigration('Pending');
    expect(decide({ migration }).pods).toEqual([{ type: 'create', node: 'node02' }]);
    expect(decide({ migration, targetExpected: true }).pods).toEqual([]);
    expect(decide({ migration, freeNode: undefined })).toEqual({ pods: [] });
  });

  it('moves the guest after the migration time', () => {
    const view = { migration: aMigration('Running'), vmi: underWay(), target, startedAt: 600 };
    expect(decide({ ...view, now: 1000 })).toEqual({ pods: [], retryAfter: 100 });
    const { next, vmi, pods } = decide({ ...view, now: 1100 });
    expect(next?.status?.phase).toBe('Succeeded');
    expect(vmi).toMatchObject({
      metadata: { labels: { 'kubevirt.io/nodeName': 'node02' } },
      status: { nodeName: 'node02', migrationState: { completed: true, endTimestamp: '1970-01-01T00:00:01Z' } },
    });
    expect(pods).toMatchObject([{ type: 'complete', succeeded: true }]);
  });

  it.each<[string, Partial<MigrationView>]>([
    ['the guest is gone', { vmi: undefined }],
    ['the guest goes', { vmi: deleted(underWay()) }],
    ['the guest has ended', { vmi: aVmi('Succeeded') }],
    ['it is deleted', { migration: deleted(aMigration('Running')) }],
    ['its own node is lost', { isReachable: (node) => node === 'node02' }],
    ['the other node is lost', { isReachable: (node) => node === 'node01' }],
    ['the target is taken away', { target: undefined }],
  ])('fails when %s', (_what, view) => {
    const { next } = decide({ migration: aMigration('Running'), vmi: underWay(), target, startedAt: 1000, ...view });
    expect(next?.status?.phase).toBe('Failed');
  });

  it('that fails deletes its pod and keeps the guest', () => {
    const view = { migration: aMigration('Running'), vmi: underWay(), target };
    const { vmi, pods } = decide({ ...view, isReachable: (node) => node === 'node01' });
    expect(vmi?.status).toMatchObject({ nodeName: 'node01', migrationState: { completed: true, failed: true } });
    expect(pods).toMatchObject([{ type: 'delete', pod: { metadata: { name: 'target' } } }]);
  });

  it('that has ended loses its finalizer once', () => {
    const { next } = decide({ migration: aMigration('Succeeded') });
    expect(next?.metadata.finalizers).toEqual([]);
    expect(decide({ migration: next ?? aMigration() })).toEqual({ pods: [] });
  });
});
