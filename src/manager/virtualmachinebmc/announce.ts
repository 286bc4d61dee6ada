import type { Condition, VirtualMachineBMC, VirtualMachineBMCStatus } from '../../api/index.ts';
import type { EventRecorder } from '../../kube/index.ts';
import { REASONS } from './judge/reasons.ts';

/** Somebody has to do something: the message says what. */
const ACTIONABLE = new Set<string>([
  REASONS.kubeVirtNotInstalled,
  REASONS.virtualMachineNotFound,
  REASONS.virtualMachineTaken,
  REASONS.secretNotFound,
  REASONS.secretIncomplete,
  REASONS.credentialsUnfitForIPMI,
  REASONS.notOwned,
  REASONS.refused,
  REASONS.rollOutStuck,
]);

/** Makes Events of the turns that people want to know of: what needs them, an agent that is lost, and all being well. */
export function announce(bmc: VirtualMachineBMC, status: VirtualMachineBMCStatus, events: EventRecorder): void {
  const told = new Set<string>();
  for (const condition of status.conditions ?? []) {
    const before = bmc.status?.conditions?.find(({ type }) => type === condition.type);
    if (!isTurn(before, condition) || told.has(condition.reason)) continue;
    const type = eventType(before, condition);
    if (type === undefined) continue;
    told.add(condition.reason);
    events.event(bmc, type, condition.reason, condition.message);
  }
}

function isTurn(before: Condition | undefined, condition: Condition): boolean {
  return before?.status !== condition.status || before.reason !== condition.reason;
}

function eventType(before: Condition | undefined, condition: Condition): 'Normal' | 'Warning' | undefined {
  if (condition.type === 'Ready') return condition.status === 'True' ? 'Normal' : undefined;
  if (condition.status !== 'False') return undefined;
  if (ACTIONABLE.has(condition.reason)) return 'Warning';
  return condition.reason === REASONS.agentNotReady && before?.status === 'True' ? 'Warning' : undefined;
}
