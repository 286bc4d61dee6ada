import type { Condition, VirtualMachineBMC, VirtualMachineBMCStatus } from '../../api/index.ts';
import type { EventRecorder, ObjectRef } from '@groundcrew/controller-runtime';
import { namespacedKey } from './caches.ts';
import { notServed } from './conditions/not-served.ts';
import { REASONS } from './conditions/reasons.ts';

/** Somebody has to do something: the message says what. */
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
  REASONS.refused,
  REASONS.rollOutStuck,
]);

/**
 * Makes Events of the turns that people want to know of: what needs them, an agent that is lost, and all being well; and
 * once for each generation of what its spec asks for in vain.
 *
 * It remembers the status that it announced last, because a cache may not have it yet when the BMC is looked at again.
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
   * @param status as it has been written since
   */
  announce(bmc: VirtualMachineBMC, status: VirtualMachineBMCStatus): void {
    const before = this.#lastStatus(bmc);
    this.#announced.set(namespacedKey(bmc.metadata), { uid: bmc.metadata.uid, status });
    if (before?.observedGeneration !== status.observedGeneration) this.#announceNotServed(bmc);
    this.#announceTurns(bmc, before?.conditions, status.conditions);
  }

  /** Of a BMC that is gone. */
  forget(ref: ObjectRef): void {
    this.#announced.delete(namespacedKey(ref));
  }

  /** One that was announced is no older than what was read: nobody else writes these conditions. */
  #lastStatus({ metadata, status }: VirtualMachineBMC): VirtualMachineBMCStatus | undefined {
    const announced = this.#announced.get(namespacedKey(metadata));
    return announced !== undefined && announced.uid === metadata.uid ? announced.status : status;
  }

  #announceNotServed(bmc: VirtualMachineBMC): void {
    const message = notServed(bmc.spec);
    if (message !== undefined) this.#events.event(bmc, 'Warning', 'NotServed', message);
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
  if (condition.type === 'Ready') return condition.status === 'True' ? 'Normal' : undefined;
  if (condition.status !== 'False') return undefined;
  if (ACTIONABLE.has(condition.reason)) return 'Warning';
  return condition.reason === REASONS.agentNotReady && before?.status === 'True' ? 'Warning' : undefined;
}
