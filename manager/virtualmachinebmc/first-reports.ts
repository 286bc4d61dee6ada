import type { VirtualMachineBMCStatus } from '../../api/index.ts';
import { findCondition, type ObjectRef } from '@groundcrew/controller-runtime';
import { namespacedKey } from './caches.ts';
import { REASONS } from './conditions/condition-result.ts';
import type { Inputs } from './inputs.ts';

/** Milliseconds. */
const PATIENCE = 3000;

/** Reasons that a new BMC of a serving agent has for a moment. */
const PASSING = new Set<string>([
  REASONS.serviceNotReady,
  REASONS.certificatePending,
  REASONS.secretPending,
  REASONS.agentBehind,
]);

/**
 * Holds back the first status of a BMC that a shared agent will serve in a moment: the agent acts for a BMC without a name in its
 * status, and with the agent's confirmation the status is complete. So it is written once and not twice.
 */
export class FirstReports {
  /** When a BMC was first seen without a status, by the monotonic clock. */
  readonly #seen = new Map<string, { uid: string | undefined; at: number }>();

  /** @returns milliseconds to wait; undefined: report it now */
  patience(
    { bmc, placement }: Pick<Inputs, 'bmc' | 'placement'>,
    status: VirtualMachineBMCStatus,
    now: number,
  ): number | undefined {
    const key = namespacedKey(bmc.metadata);
    const isServing =
      placement.wanted === 'Shared' && placement.agent !== undefined && placement.agent.problem === undefined;
    const isPassing = PASSING.has(findCondition(status.conditions, 'Ready')?.reason ?? '');
    if (bmc.status?.phase !== undefined || !isServing || !isPassing) {
      this.#seen.delete(key);
      return undefined;
    }
    const { uid } = bmc.metadata;
    const known = this.#seen.get(key);
    const first = known?.uid === uid && known !== undefined ? known : { uid, at: now };
    this.#seen.set(key, first);
    const wait = first.at + PATIENCE - now;
    return wait > 0 ? wait : undefined;
  }

  forget(ref: ObjectRef): void {
    this.#seen.delete(namespacedKey(ref));
  }
}
