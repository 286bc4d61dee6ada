import { timestamp } from '@groundcrew/controller-runtime';
import { ANNOTATIONS } from '../annotations.ts';
import type { Claim, DataVolumeCondition, DataVolumePhase } from '../objects.ts';

type Conditions = readonly DataVolumeCondition[];

/** The three conditions as CDI computes them of claim and phase (`pkg/controller/datavolume/conditions.go`). */
export function conditionsOf(
  old: Conditions,
  claim: Claim | undefined,
  phase: DataVolumePhase,
  /** Why there is no claim; default: it has not been made yet. */
  missing: { reason: string; message: string } = { reason: 'NotFound', message: 'No PVC found' },
  now: number,
): DataVolumeCondition[] {
  const set = (list: Conditions, next: Judged): DataVolumeCondition[] => withCondition(list, next, now);
  const running = runningOf(claim?.metadata.annotations ?? {});
  let conditions = set(old, claim === undefined ? { type: 'Bound', status: 'False', ...missing } : boundOf(claim));
  conditions = set(conditions, readyOf(phase, running.status === 'True'));
  return set(conditions, running);
}

function readyOf(phase: DataVolumePhase, isRunning: boolean): Judged {
  if (isRunning) return { type: 'Ready', status: 'False', reason: 'TransferRunning', message: '' };
  const status = phase === 'Succeeded' ? 'True' : phase === 'Unknown' ? 'Unknown' : 'False';
  return { type: 'Ready', status, reason: '', message: '' };
}

export function conditionOf(conditions: Conditions | undefined, type: DataVolumeCondition['type']) {
  return conditions?.find((condition) => condition.type === type);
}

type Judged = Required<Pick<DataVolumeCondition, 'type' | 'status' | 'reason' | 'message'>>;

function boundOf({ metadata, status }: Claim): Judged {
  const { name } = metadata;
  switch (status?.phase) {
    case 'Bound':
      return { type: 'Bound', status: 'True', reason: 'Bound', message: `PVC ${name} Bound` };
    case 'Pending':
      return { type: 'Bound', status: 'False', reason: 'Pending', message: `PVC ${name} Pending` };
    case 'Lost':
      return { type: 'Bound', status: 'False', reason: 'ClaimLost', message: 'Claim Lost' };
    default:
      return { type: 'Bound', status: 'False', reason: '', message: '' };
  }
}

function runningOf(annotations: Record<string, string>): Judged {
  const reason = annotations[ANNOTATIONS.runningReason] ?? '';
  const message = annotations[ANNOTATIONS.runningMessage] ?? '';
  return { type: 'Running', status: annotations[ANNOTATIONS.running] === 'true' ? 'True' : 'False', reason, message };
}

/** Go leaves empty strings out of JSON. */
function withCondition(conditions: Conditions, { type, status, reason, message }: Judged, now: number) {
  const at = conditions.findIndex((condition) => condition.type === type);
  const old = conditions[at];
  const same = old?.status === status && (old.reason ?? '') === reason && (old.message ?? '') === message;
  if (same) return [...conditions];
  const time = timestamp(now);
  const condition: DataVolumeCondition = {
    type,
    status,
    ...(reason === '' ? {} : { reason }),
    ...(message === '' ? {} : { message }),
    lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? time) : time,
    lastHeartbeatTime: time,
  };
  return at === -1 ? [...conditions, condition] : conditions.with(at, condition);
}
