import { timestamp } from '@groundcrew/controller-runtime';
import type { ImportState } from './imports.ts';
import type { Claim, DataVolume, DataVolumeCondition, DataVolumeStatus } from './objects.ts';

/** The reason why a DataVolume has no claim. */
export interface Problem {
  reason: string;
  message: string;
}

export interface StatusView {
  dv: DataVolume;
  claim: Claim | undefined;
  problem: Problem | undefined;
  state: ImportState | undefined;
  now: number;
}

/** Status of a DataVolume, from its claim and its import. */
export function statusOf({ dv, claim, problem, state, now }: StatusView): DataVolumeStatus {
  const old = dv.status ?? {};
  const phase = phaseOf(claim, state) ?? old.phase ?? 'Pending';
  const conditions = [
    claim === undefined
      ? condition('Bound', 'False', problem ?? { reason: 'NotFound', message: 'No PVC found' })
      : boundOf(claim),
    readyOf(phase, state),
    runningOf(state),
  ];
  return {
    ...old,
    phase,
    ...(claim === undefined ? {} : { claimName: claim.metadata.name, progress: progressOf(old.progress, state) }),
    ...(state === undefined || state.restarts === 0 ? {} : { restartCount: state.restarts }),
    conditions: conditions.map((next) => stamped(next, old.conditions, now)),
  };
}

function phaseOf(claim: Claim | undefined, state: ImportState | undefined): DataVolumeStatus['phase'] {
  if (claim === undefined) return undefined;
  if (claim.status?.phase === 'Lost') return 'Failed';
  switch (state?.phase) {
    case undefined:
      return 'Pending';
    case 'Waiting':
      return 'ImportScheduled';
    case 'Running':
    case 'Failed':
      // Failed attempts are repeated.
      return 'ImportInProgress';
    case 'Succeeded':
      return 'Succeeded';
  }
}

function progressOf(old: string | undefined, state: ImportState | undefined): string {
  if (state?.phase === 'Succeeded') return '100.0%';
  if (state?.phase !== 'Running' || state.total === undefined) return old ?? 'N/A';
  return `${((100 * state.bytes) / state.total).toFixed(2)}%`;
}

function boundOf({ metadata: { name }, status }: Claim): DataVolumeCondition {
  const phase = status?.phase ?? 'Pending';
  return condition('Bound', phase === 'Bound' ? 'True' : 'False', { reason: phase, message: `PVC ${name} ${phase}` });
}

function readyOf(phase: DataVolumeStatus['phase'], state: ImportState | undefined): DataVolumeCondition {
  if (state?.phase === 'Running') return condition('Ready', 'False', { reason: 'TransferRunning', message: '' });
  return condition('Ready', phase === 'Succeeded' ? 'True' : 'False', { reason: '', message: '' });
}

function runningOf(state: ImportState | undefined): DataVolumeCondition {
  switch (state?.phase) {
    case undefined:
      return condition('Running', 'False', { reason: '', message: '' });
    case 'Waiting': {
      const reason = state.message === '' ? 'ContainerCreating' : 'CreateContainerConfigError';
      return condition('Running', 'False', { reason, message: state.message });
    }
    case 'Running':
      return condition('Running', 'True', { reason: 'Pod is running', message: '' });
    case 'Failed':
      return condition('Running', 'False', { reason: 'Error', message: state.message });
    case 'Succeeded':
      return condition('Running', 'False', { reason: 'Completed', message: 'Import Complete' });
  }
}

function condition(
  type: DataVolumeCondition['type'],
  status: DataVolumeCondition['status'],
  { reason, message }: Problem,
): DataVolumeCondition {
  return { type, status, ...(reason === '' ? {} : { reason }), ...(message === '' ? {} : { message }) };
}

function stamped(
  next: DataVolumeCondition,
  conditions: readonly DataVolumeCondition[] = [],
  now: number,
): DataVolumeCondition {
  const old = conditions.find(({ type }) => type === next.type);
  if (old?.status === next.status && old.reason === next.reason && old.message === next.message) return old;
  const time = timestamp(now);
  const since = old?.status === next.status ? (old.lastTransitionTime ?? time) : time;
  return { ...next, lastTransitionTime: since, lastHeartbeatTime: time };
}
