import type { Condition, VirtualMachineBMC, VirtualMachineBMCStatus } from '../../api/index.ts';
import type { EventRecorder, ObjectRef } from '@groundcrew/controller-runtime';
import { namespacedKey } from './caches.ts';
import { REASONS } from './conditions/condition-result.ts';

/** Reasons that require action; the message says which. */
const ACTIONABLE = new Set<string>([
  REASONS.kubeVirtNotInstalled,
  REASONS.virtualMachineNotFound,
  REASONS.virtualMachineTaken,
  REASONS.secretNotFound,
  REASONS.secretIncomplete,
  REASONS.credentialsUnfitForIPMI,
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
 * Emits Events for important transitions: action required, agent lost, everything Ready.
 *
 * It keeps the last announced status, because the cache may not have it yet at the next reconcile.
 */
export class ConditionEvents {
  readonly #events: EventRecorder;
  /** By namespace and name. */
  readonly #announced = new Map<string, { uid: string | undefined; status: VirtualMachineBMCStatus }>();

  constructor(events: EventRecorder) {
    this.#events = events;
  }

  /**
   * @param bmc as it was read
   * @param status as written since
   */
  announce(bmc: VirtualMachineBMC, status: VirtualMachineBMCStatus): void {
    const before = this.#lastStatus(bmc);
    this.#announced.set(namespacedKey(bmc.metadata), { uid: bmc.metadata.uid, status });
    this.#announceTurns(bmc, before?.conditions, status.conditions);
  }

  /** Drops the status of a deleted BMC. */
  forget(ref: ObjectRef): void {
    this.#announced.delete(namespacedKey(ref));
  }

  /** An announced status is never older than the cached one: only the manager writes these conditions. */
  #lastStatus({ metadata, status }: VirtualMachineBMC): VirtualMachineBMCStatus | undefined {
    const announced = this.#announced.get(namespacedKey(metadata));
    return announced !== undefined && announced.uid === metadata.uid ? announced.status : status;
  }

  #announceTurns(bmc: VirtualMachineBMC, last: readonly Condition[] = [], conditions: readonly Condition[] = []): void {
    const told = new Set<string>();
    for (const condition of conditions) {
      const before = last.find(({ type }) => type === condition.type);
      if (!isTurn(before, condition) || told.has(condition.reason)) continue;
      const type = eventType(before, condition);
      if (type === undefined) continue;
      told.add(condition.reason);
      this.#events.event(bmc, type, condition.reason, condition.message);
    }
  }
}

function isTurn(before: Condition | undefined, condition: Condition): boolean {
  return before?.status !== condition.status || before.reason !== condition.reason;
}

function eventType(before: Condition | undefined, condition: Condition): 'Normal' | 'Warning' | undefined {
  if (condition.reason === REASONS.contested) return 'Warning';
  if (condition.type === 'Ready') return condition.status === 'True' ? 'Normal' : undefined;
  if (condition.status !== 'False') return undefined;
  if (ACTIONABLE.has(condition.reason)) return 'Warning';
  return condition.reason === REASONS.agentNotReady && before?.status === 'True' ? 'Warning' : undefined;
}
