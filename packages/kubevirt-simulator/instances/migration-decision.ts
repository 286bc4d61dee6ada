import { timestamp, type Pod } from '@groundcrew/controller-runtime';
import { hasEnded, NODE_NAME } from './launcher-pod.ts';
import type { LauncherAction } from './launchers.ts';
import {
  isFinal,
  isLeaving,
  MIGRATION_FINALIZER,
  type Migration,
  type MigrationPhase,
  type MigrationState,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';

/** What is seen of one migration. */
export interface MigrationView {
  migration: Migration;
  vmi: VirtualMachineInstance | undefined;
  /** The pod of the guest, and the target pod. */
  source: Pod | undefined;
  target: Pod | undefined;
  /** The target has been created, and the watch has not shown it yet. */
  targetExpected: boolean;
  /** A free node other than the guest's. */
  freeNode: string | undefined;
  isReachable: (node: string | undefined) => boolean;
  /** Start and duration of the copy of the guest's memory, milliseconds. */
  startedAt: number | undefined;
  migrationTime: number;
  now: number;
}

export interface MigrationDecision {
  /** The changed migration, which is written after `vmi` and `pods`. */
  next?: Migration;
  vmi?: VirtualMachineInstance;
  pods: LauncherAction[];
  retryAfter?: number;
  event?: { type: 'Normal' | 'Warning'; reason: string; message: string };
}

/** The migration has come to its end, well or not. */
export function hasCompleted({ status }: Migration): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** One step of a migration's way, a phase at a time as KubeVirt writes them. */
export function decideMigration(view: MigrationView): MigrationDecision {
  const { migration, vmi } = view;
  if (hasCompleted(migration)) return { ...released(migration), pods: [] };
  const failure = failureOf(view);
  if (failure !== undefined || vmi === undefined) return failed(view, failure ?? 'the VMI is gone');
  return STEPS[migration.status?.phase ?? ''](view, vmi);
}

type Step = (view: MigrationView, vmi: VirtualMachineInstance) => MigrationDecision;

const STEPS: Record<MigrationPhase | '', Step> = {
  '': (view) => inPhase(view, 'Pending'),

  // While no other node can take the guest the migration waits.
  Pending: (view) => {
    if (view.target !== undefined) return inPhase(view, 'Scheduling');
    if (view.targetExpected || view.freeNode === undefined) return { pods: [] };
    return { pods: [{ type: 'create', node: view.freeNode }] };
  },

  Scheduling: (view) => {
    const { target } = view;
    if (target === undefined || target.status?.phase === 'Running') return inPhase(view, 'Scheduled');
    return { pods: [{ type: 'run', pod: target }] };
  },

  Scheduled: (view, vmi) => {
    const next = withState(vmi, {
      migrationUid: view.migration.metadata.uid ?? '',
      sourceNode: vmi.status?.nodeName ?? '',
      sourcePod: view.source?.metadata.name ?? '',
      targetNode: view.target?.spec?.nodeName ?? '',
      targetPod: view.target?.metadata.name ?? '',
      mode: 'PreCopy',
    });
    return inPhase(view, 'PreparingTarget', next);
  },

  PreparingTarget: (view) => inPhase(view, 'TargetReady'),

  TargetReady: (view, vmi) => inPhase(view, 'Running', withState(vmi, { startTimestamp: timestamp(view.now) })),

  Running: (view, vmi) => {
    const wait = (view.startedAt ?? view.now) + view.migrationTime - view.now;
    if (wait > 0) return { pods: [], retryAfter: wait };
    const node = view.target?.spec?.nodeName ?? '';
    const moved = withState(vmi, { endTimestamp: timestamp(view.now), completed: true });
    const labels = { ...moved.metadata.labels, [NODE_NAME]: node };
    const next = { ...moved, metadata: { ...moved.metadata, labels }, status: { ...moved.status, nodeName: node } };
    return {
      ...inPhase(view, 'Succeeded', next),
      pods: view.source === undefined ? [] : [{ type: 'complete', pod: view.source, succeeded: true }],
      event: { type: 'Normal', reason: 'Migrated', message: `The VirtualMachineInstance migrated to node ${node}.` },
    };
  },

  Succeeded: ({ migration }) => ({ ...released(migration), pods: [] }),
  Failed: ({ migration }) => ({ ...released(migration), pods: [] }),
};

/** Why the migration cannot go on. */
function failureOf(view: MigrationView): string | undefined {
  const { migration, vmi, target, source, isReachable } = view;
  if (isLeaving(migration)) return 'Migration aborted by the user';
  if (vmi === undefined || isFinal(vmi) || isLeaving(vmi)) return 'the VMI is gone or going';
  if (vmi.status?.phase !== 'Running' || source === undefined) return 'the VMI does not run';
  if (!isReachable(vmi.status.nodeName)) return `source node ${vmi.status.nodeName ?? ''} is unreachable`;
  const phase = migration.status?.phase;
  if (phase === undefined || phase === 'Pending') return undefined;
  if (target === undefined || hasEnded(target) || isLeaving(target)) return 'target pod is down';
  return isReachable(target.spec?.nodeName) ? undefined : 'target node is unreachable';
}

/** The guest stays on its node. */
function failed(view: MigrationView, why: string): MigrationDecision {
  const { vmi, target, migration, now } = view;
  const begun = vmi?.status?.migrationState?.migrationUid === migration.metadata.uid;
  const end = { endTimestamp: timestamp(now), completed: true, failed: true, failureReason: why };
  return {
    ...inPhase(view, 'Failed', vmi === undefined || !begun ? undefined : withState(vmi, end)),
    pods: target === undefined || isLeaving(target) ? [] : [{ type: 'delete', pod: target }],
    event: { type: 'Warning', reason: 'Migrated', message: `VirtualMachineInstance migration failed: ${why}` },
  };
}

/** The migration in its next phase, with the changed instance. */
function inPhase(view: MigrationView, phase: MigrationPhase, vmi?: VirtualMachineInstance): MigrationDecision {
  const { migration, now } = view;
  const { migrationState: _state, ...old } = migration.status ?? {};
  const migrationState = (vmi ?? view.vmi)?.status?.migrationState;
  const isOwn = migrationState?.migrationUid === migration.metadata.uid;
  const phaseTransitionTimestamps = [
    ...(old.phaseTransitionTimestamps ?? []),
    { phase, phaseTransitionTimestamp: timestamp(now) },
  ];
  const status = { ...old, phase, phaseTransitionTimestamps, ...(isOwn ? { migrationState } : {}) };
  return { next: { ...migration, status }, ...(vmi === undefined ? {} : { vmi }), pods: [] };
}

function withState(vmi: VirtualMachineInstance, change: Partial<MigrationState>): VirtualMachineInstance {
  const begins = change.migrationUid !== undefined;
  const none: MigrationState = { migrationUid: '', sourceNode: '', sourcePod: '', targetNode: '', targetPod: '' };
  const old = begins ? none : (vmi.status?.migrationState ?? none);
  return { ...vmi, status: { ...vmi.status, migrationState: { ...old, ...change } } };
}

function released(migration: Migration): { next?: Migration } {
  const { finalizers = [] } = migration.metadata;
  const kept = finalizers.filter((finalizer) => finalizer !== MIGRATION_FINALIZER);
  if (kept.length === finalizers.length) return {};
  return { next: { ...migration, metadata: { ...migration.metadata, finalizers: kept } } };
}
