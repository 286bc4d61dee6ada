import { BMC_CONDITIONS, type VirtualMachineBMC, type VirtualMachineBMCStatus } from '../../api/index.ts';
import { findCondition, type ObjectRef } from '@groundcrew/controller-runtime';
import { namespacedKey } from './caches.ts';
import { activeAgent, hasServed } from './conditions/active-agent.ts';
import { isComing } from './conditions/agent.ts';
import { REASONS } from './conditions/condition-result.ts';
import type { Inputs } from './inputs.ts';
import { isReported } from './report.ts';

type Stage = 'unknown' | 'shared' | 'pod' | 'start';

/** Milliseconds that each stage may take before the status tells of it. The simulated and the real controllers make a pod within 0.3 s. */
const PATIENCE: Readonly<Record<Stage, number>> = { unknown: 20_000, shared: 3000, pod: 1000, start: 10_000 };

/** Reasons that a new BMC of a serving agent has for a moment. */
const PASSING = new Set<string>([
  REASONS.serviceNotReady,
  REASONS.certificatePending,
  REASONS.secretPending,
  REASONS.agentBehind,
]);

/** The conditions that change while a dedicated agent starts. */
const OF_START = new Set<string>([BMC_CONDITIONS.agentReady, BMC_CONDITIONS.upToDate, BMC_CONDITIONS.ready]);

/**
 * Holds back what the status would say only for a moment, so that it is written once or twice until a new BMC is Ready:
 * - A shared agent acts for a BMC without a name in its status, and with its confirmation the status is complete.
 * - The first status names the pod of a dedicated agent, which acts when it is named. The second says that it is ready.
 *
 * And after the start of a manager the status stays as it is until the manager knows what the shared agent shows.
 */
export class FirstReports {
  /** The stage of each BMC that is held back, and since when, by the monotonic clock. */
  readonly #held = new Map<string, { uid: string | undefined; stage: Stage; since: number }>();

  /** @returns milliseconds to wait; undefined: report it now */
  patience(inputs: Inputs, status: VirtualMachineBMCStatus, now: number): number | undefined {
    const key = namespacedKey(inputs.bmc.metadata);
    const stage = stageOf(inputs, status);
    if (stage === undefined) {
      this.#held.delete(key);
      return undefined;
    }
    const { uid } = inputs.bmc.metadata;
    const known = this.#held.get(key);
    const held = known !== undefined && known.uid === uid && known.stage === stage ? known : { uid, stage, since: now };
    this.#held.set(key, held);
    const wait = held.since + PATIENCE[stage] - now;
    return wait > 0 ? wait : undefined;
  }

  forget(ref: ObjectRef): void {
    this.#held.delete(namespacedKey(ref));
  }
}

/** What the BMC waits for; undefined: its status is to be reported. */
function stageOf(inputs: Inputs, status: VirtualMachineBMCStatus): Stage | undefined {
  if (inputs.placement.wanted === 'Shared') return sharedStageOf(inputs, status);
  const { bmc } = inputs;
  const isFirst = bmc.status?.phase === undefined;
  if (hasServed(bmc) || !isStart(status)) return undefined;
  if (isFirst) return isReason(status, REASONS.agentPending) && activeAgent(inputs) === undefined ? 'pod' : undefined;
  return isComing(inputs) && differsByStart(bmc, status) ? 'start' : undefined;
}

function sharedStageOf(
  { bmc, placement: { assignment, agent } }: Inputs,
  { conditions }: VirtualMachineBMCStatus,
): Stage | undefined {
  if (bmc.status?.phase === undefined) {
    const isServing = agent !== undefined && agent.problem === undefined;
    return isServing && PASSING.has(findCondition(conditions, 'Ready')?.reason ?? '') ? 'shared' : undefined;
  }
  const isServed = assignment !== undefined && bmc.status.agent?.name === assignment.agent;
  return isServed && agent === undefined ? 'unknown' : undefined;
}

/** Whether the BMC lacks nothing but its agent, which a roll-out has not been given up on. */
function isStart({ conditions = [] }: VirtualMachineBMCStatus): boolean {
  const isFine = conditions.every(({ type, status }) => OF_START.has(type) || status === 'True');
  const upToDate = findCondition(conditions, BMC_CONDITIONS.upToDate);
  const isUpdating = upToDate?.status === 'True' || upToDate?.reason === REASONS.updating;
  return isFine && isUpdating && findCondition(conditions, BMC_CONDITIONS.ready)?.status !== 'True';
}

function isReason({ conditions }: VirtualMachineBMCStatus, reason: string): boolean {
  return findCondition(conditions, BMC_CONDITIONS.agentReady)?.reason === reason;
}

/** Whether a status differs from the one of the BMC, and only in what it says of the start of its agent. */
function differsByStart(bmc: VirtualMachineBMC, status: VirtualMachineBMCStatus): boolean {
  if (isReported(bmc, status)) return false;
  const before = bmc.status?.conditions ?? [];
  const conditions = status.conditions?.map((each) =>
    OF_START.has(each.type) ? (before.find(({ type }) => type === each.type) ?? each) : each,
  );
  return isReported(bmc, { ...status, ...(conditions === undefined ? {} : { conditions }) });
}
