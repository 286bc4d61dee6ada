import type { IPPoolStatus } from '../../../api/index.ts';
import type { ConditionResults } from './conditions.ts';
import { REASONS } from './reasons.ts';

type Phase = NonNullable<IPPoolStatus['phase']>;

/** Nothing moves until a person decides. */
const FINAL = new Set<string>([
  REASONS.specInvalid,
  REASONS.noAddresses,
  REASONS.addressesTaken,
  REASONS.networkInvalid,
  REASONS.networkNotSupported,
]);

/**
 * One word for people and for tools that take just one:
 * - `Paused`: a person stopped it.
 * - `Ready`: it gives addresses, and every agent answers.
 * - `Degraded`: it was Ready and is not, or one of its agents does not answer.
 * - `Failed`: it cannot come to be until somebody changes something about it.
 * - `Pending`: its network is not there yet.
 * - `Provisioning`: its agents are being made.
 */
export function phaseOf(results: ConditionResults, before: Phase | undefined): Phase {
  const { Stopped, Ready, AgentReady, Registered } = results;
  if (Stopped.status === 'True') return 'Paused';
  if (FINAL.has(Registered.reason)) return 'Failed';
  if (Ready.status === 'True') return AgentReady.reason === REASONS.agentsDegraded ? 'Degraded' : 'Ready';
  if (before === 'Ready' || before === 'Degraded') return 'Degraded';
  return Registered.status === 'True' ? 'Provisioning' : 'Pending';
}
