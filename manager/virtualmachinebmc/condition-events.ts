import type { Condition, VirtualMachineBMC, VirtualMachineBMCStatus } from '../../api/index.ts';
import type { EventRecorder } from '@groundcrew/controller-runtime';
import { REASONS } from './conditions/condition-result.ts';

/** Reasons that require action; the message says which. */
const ACTIONABLE = new Set<string>([
  REASONS.kubeVirtNotInstalled,
  REASONS.virtualMachineNotFound,
  REASONS.virtualMachineTaken,
  REASONS.secretNotFound,
  REASONS.secretIncomplete,
  REASONS.credentialsUnfitForIPMI,
  REASONS.credentialsTooLong,
  REASONS.certificateNotFound,
  REASONS.certificateUnfit,
  REASONS.notOwned,
  REASONS.otherControllerServes,
  REASONS.refused,
  REASONS.rollOutStuck,
  REASONS.imageNotAllowed,
  REASONS.noRoom,
]);

/**
 * Emits Events for important transitions: action required, agent lost, and Ready again after one of these.
 */
export class ConditionEvents {
  readonly #events: EventRecorder;

  constructor(events: EventRecorder) {
    this.#events = events;
  }

  /**
   * @param bmc with the status that was written last
   * @param status as written since
   */
  announce(bmc: VirtualMachineBMC, status: VirtualMachineBMCStatus): void {
    this.#announceTurns(bmc, bmc.status?.conditions, status.conditions);
  }

  #announceTurns(bmc: VirtualMachineBMC, last: readonly Condition[] = [], conditions: readonly Condition[] = []): void {
    const told = new Set<string>();
    for (const condition of conditions) {
      const before = last.find(({ type }) => type === condition.type);
      if (!isTurn(before, condition) || told.has(condition.reason)) continue;
      const type = eventType(before, condition, bmc);
      if (type === undefined) continue;
      told.add(condition.reason);
      this.#events.event(bmc, type, condition.reason, condition.message);
    }
  }
}

function isTurn(before: Condition | undefined, condition: Condition): boolean {
  return before?.status !== condition.status || before.reason !== condition.reason;
}

function eventType(
  before: Condition | undefined,
  condition: Condition,
  bmc: VirtualMachineBMC,
): 'Normal' | 'Warning' | undefined {
  if (condition.reason === REASONS.contested) return 'Warning';
  if (condition.type === 'Ready') return condition.status === 'True' && hadProblem(bmc) ? 'Normal' : undefined;
  if (condition.status !== 'False') return undefined;
  if (ACTIONABLE.has(condition.reason)) return 'Warning';
  return condition.reason === REASONS.agentNotReady && before?.status === 'True' ? 'Warning' : undefined;
}

/** A new BMC that has become Ready as it should is no news: its condition tells since when. */
function hadProblem({ status: { phase, conditions = [] } = {} }: VirtualMachineBMC): boolean {
  return phase === 'Degraded' || phase === 'Failed' || conditions.some(({ reason }) => ACTIONABLE.has(reason));
}
