import type { AgentRolloutSpec } from '../../api/index.ts';
import type { Policy } from './decide-rollout.ts';

/** The installation's defaults for roll-outs: those of the chart. */
export type RolloutDefaults = Required<
  Pick<AgentRolloutSpec, 'maxUnavailable' | 'progressDeadlineSeconds' | 'minReadySeconds'>
>;

export const ROLLOUT_DEFAULTS: RolloutDefaults = {
  maxUnavailable: '20%',
  progressDeadlineSeconds: 300,
  minReadySeconds: 10,
};

/** The roll-out's own fields, else the defaults. */
export function policyOf(spec: AgentRolloutSpec, defaults: RolloutDefaults): Policy {
  const { maxUnavailable, progressDeadlineSeconds, minReadySeconds } = { ...defaults, ...spec };
  return {
    paused: spec.paused ?? false,
    maxUnavailable,
    minReady: minReadySeconds * 1000,
    deadline: progressDeadlineSeconds * 1000,
    attempt: spec.attempt ?? 1,
  };
}

/** The defaults of the installation are invalid. */
export class RolloutDefaultsError extends Error {
  override readonly name = 'RolloutDefaultsError';
  readonly code = 'InvalidRolloutDefaults';
}

/**
 * Parses `20%` or `3`.
 *
 * @throws RolloutDefaultsError
 */
export function maxUnavailableOf(text: string): string | number {
  if (/^[0-9]{1,3}%$/.test(text)) return text;
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw new RolloutDefaultsError(`${JSON.stringify(text)} is no number of agents: write 3, or 20%`);
}
