import type { AgentRollout, Condition } from '../../api/index.ts';
import type { Inputs } from './inputs.ts';
import type { Problem, RolloutStatus } from './overview.ts';
import { inOrder } from './overview-order.ts';

export function evaluateRollouts({ rollouts }: Inputs): RolloutStatus[] {
  const rows = rollouts.map(({ metadata, status }) => {
    const { phase = 'Unseen', wave = 0, total = 0, updated = 0, ready = 0, failing = 0, held = 0 } = status ?? {};
    return { namespace: metadata.namespace ?? '', phase, wave, total, updated, ready, failing, held };
  });
  return inOrder('rollouts', rows);
}

/** A roll-out that has stopped. One that goes on, or that the user has paused, is no problem. */
export function rolloutProblems({ rollouts }: Inputs): Problem[] {
  return rollouts
    .filter(({ status }) => status?.phase === 'Stopped')
    .map(({ metadata, status }: AgentRollout) => ({
      kind: 'AgentRollout',
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      reason: 'Stopped',
      what: status?.conditions?.find(({ type }) => type === 'Complete')?.message ?? status?.reason ?? 'Stopped.',
    }));
}

/** Whether an agent that is not up to date is only part of a roll-out, or held by the user. Its pods tell if it fails. */
export function isRollingOut({ type, reason }: Condition): boolean {
  return type === 'UpToDate' && ['Updating', 'AgentHeld'].includes(reason);
}
