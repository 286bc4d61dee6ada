import { IP_POOL_CONDITIONS, type Condition, type IPPool, type IPPoolStatus } from '../../../api/index.ts';
import type { EventRecorder } from '@groundcrew/controller-runtime';
import { REASONS } from './reasons.ts';

/** Reasons that require action; the message says which. */
const ACTIONABLE = new Set<string>([
  REASONS.specInvalid,
  REASONS.addressesTaken,
  REASONS.namespaceNotAllowed,
  REASONS.networkOfOtherNamespace,
  REASONS.imageNotAllowed,
  REASONS.multusNotInstalled,
  REASONS.networkNotFound,
  REASONS.networkInvalid,
  REASONS.networkNotSupported,
  REASONS.networkHasIPAM,
  REASONS.otherControllerServes,
  REASONS.contested,
  REASONS.leasesOutsidePool,
  REASONS.agentRefused,
  REASONS.agentsDegraded,
  REASONS.exhausted,
  REASONS.addressInUse,
]);

/** Emits Events for important transitions: action required, agent lost, everything Ready. */
export function announce(
  pool: IPPool,
  before: IPPoolStatus | undefined,
  after: IPPoolStatus,
  events: EventRecorder,
): void {
  const told = new Set<string>();
  for (const condition of after.conditions ?? []) {
    const last = before?.conditions?.find(({ type }) => type === condition.type);
    if (last?.status === condition.status && last.reason === condition.reason) continue;
    const type = eventType(last, condition);
    if (type === undefined || told.has(condition.reason)) continue;
    told.add(condition.reason);
    events.event(pool, type, condition.reason, condition.message);
  }
}

function eventType(last: Condition | undefined, condition: Condition): 'Normal' | 'Warning' | undefined {
  const { type, status, reason } = condition;
  if (ACTIONABLE.has(reason)) return 'Warning';
  if (type === IP_POOL_CONDITIONS.ready && status === 'True') return 'Normal';
  if (type === IP_POOL_CONDITIONS.stopped && status === 'True') return 'Normal';
  const isLost = type === IP_POOL_CONDITIONS.agentReady && status === 'False' && last?.status === 'True';
  return isLost && reason !== REASONS.paused ? 'Warning' : undefined;
}
