import { ANNOTATIONS } from '../annotations.ts';
import type { ImportState } from '../importer/importer.ts';
import type { Claim, DataVolume, DataVolumePhase, DataVolumeStatus } from '../objects.ts';
import { conditionOf, conditionsOf } from './conditions.ts';

export interface StatusView {
  dv: DataVolume;
  claim: Claim | undefined;
  /** The claim's storage class waits for a consumer. */
  waits: boolean;
  /** Why there can be no claim. */
  problem?: { reason: string; message: string };
  state: ImportState | undefined;
  now: number;
}

export interface VolumeEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

/** What to write into a DataVolume's status, and what to tell of it. */
export interface StatusDecision {
  status: DataVolumeStatus;
  events: VolumeEvent[];
}

/** A DataVolume's status as CDI computes it of its claim (`ReconcilerBase.updateStatus`). */
export function statusOf(view: StatusView): StatusDecision {
  const { dv, claim, state, now, problem } = view;
  const old = dv.status ?? {};
  const { phase, event } = phaseOf(view);
  const restarts = Number(claim?.metadata.annotations?.[ANNOTATIONS.restarts] ?? '0');
  const status: DataVolumeStatus = {
    ...old,
    phase,
    ...(claim === undefined ? {} : { claimName: claim.metadata.name }),
    ...(claim === undefined && old.progress === undefined ? {} : { progress: progressOf(old.progress, phase, state) }),
    ...(restarts > 0 ? { restartCount: restarts } : {}),
    conditions: conditionsOf(old.conditions ?? [], claim, phase, problem, now),
  };
  const events = event !== undefined && phase !== old.phase ? [event] : [];
  return { status, events: [...events, ...conditionEvents(old, status, problem !== undefined)] };
}

interface Phase {
  phase: DataVolumePhase;
  event?: VolumeEvent;
}

function phaseOf({ dv, claim, waits }: StatusView): Phase {
  const old = dv.status?.phase;
  if (claim === undefined) return { phase: old ?? 'Pending' };
  const imported = importPhaseOf(claim);
  if (imported?.phase === 'Succeeded') return imported;
  switch (claim.status?.phase) {
    case 'Pending':
      return { phase: waits ? 'WaitForFirstConsumer' : 'Pending' };
    case 'Bound':
      if (imported !== undefined) return imported;
      return {
        phase:
          old === undefined || old === 'Pending' || old === 'WaitForFirstConsumer' || old === 'Unknown'
            ? 'PVCBound'
            : old,
      };
    case 'Lost': {
      const message = `PVC ${claim.metadata.name} lost`;
      return { phase: 'Failed', event: { type: 'Warning', reason: 'ErrClaimLost', message } };
    }
    default:
      return { phase: old ?? 'Pending' };
  }
}

/** Of the importer's pod; undefined where there is none yet. */
function importPhaseOf({ metadata }: Claim): Phase | undefined {
  const { name, annotations = {} } = metadata;
  const normal = (reason: string, message: string): VolumeEvent => ({ type: 'Normal', reason, message });
  switch (annotations[ANNOTATIONS.phase]) {
    case 'Pending':
      return { phase: 'ImportScheduled', event: normal('ImportScheduled', `Import into ${name} scheduled`) };
    case 'Running':
      return { phase: 'ImportInProgress', event: normal('ImportInProgress', `Import into ${name} in progress`) };
    case 'Succeeded':
      return { phase: 'Succeeded', event: normal('ImportSucceeded', `Successfully imported into PVC ${name}`) };
    default:
      return undefined;
  }
}

function progressOf(old: string | undefined, phase: DataVolumePhase, state: ImportState | undefined): string {
  if (phase === 'Succeeded') return '100.0%';
  if (state?.phase !== 'Running' || state.total === undefined) return old ?? 'N/A';
  return `${((100 * state.bytes) / state.total).toFixed(2)}%`;
}

function conditionEvents(old: DataVolumeStatus, next: DataVolumeStatus, isProblem: boolean): VolumeEvent[] {
  const events: VolumeEvent[] = [];
  const bound = conditionOf(next.conditions, 'Bound');
  const wasBound = conditionOf(old.conditions, 'Bound');
  if (bound !== undefined && (bound.status !== wasBound?.status || bound.message !== wasBound.message)) {
    events.push({ type: isProblem ? 'Warning' : 'Normal', reason: bound.reason ?? '', message: bound.message ?? '' });
  }
  const running = conditionOf(next.conditions, 'Running');
  const isFailure = bound?.status === 'True' && running?.status === 'False' && next.phase !== 'Succeeded';
  if (
    isFailure &&
    running.message !== undefined &&
    running.message !== conditionOf(old.conditions, 'Running')?.message
  ) {
    events.push({ type: 'Warning', reason: running.reason ?? '', message: running.message });
  }
  return events;
}
