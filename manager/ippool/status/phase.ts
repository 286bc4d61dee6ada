import type { IPPoolStatus } from '../../../api/index.ts';
import type { ConditionResults } from './conditions.ts';
import { REASONS } from './reasons.ts';

type Phase = NonNullable<IPPoolStatus['phase']>;

/** Reasons that only a user can resolve. */
const FINAL = new Set<string>([
  REASONS.specInvalid,
  REASONS.noAddresses,
  REASONS.addressesTaken,
  REASONS.networkInvalid,
  REASONS.networkNotSupported,
]);

/**
 * The phase, a one-word summary:
 * - `Paused`: paused by a user.
 * - `Ready`: the pool leases addresses, and every agent answers.
 * - `Degraded`: it was Ready and is not, or one of its agents does not answer.
 * - `Failed`: it cannot work until a user changes something.
 * - `Pending`: its network does not exist yet.
 * - `Provisioning`: its agents are being created.
 */
export function phaseOf(results: ConditionResults, before: Phase | undefined): Phase {
  const { Stopped, Ready, AgentReady, Registered } = results;
  if (Stopped.status === 'True') return 'Paused';
  if (FINAL.has(Registered.reason)) return 'Failed';
  if (Ready.status === 'True') return AgentReady.reason === REASONS.agentsDegraded ? 'Degraded' : 'Ready';
  if (before === 'Ready' || before === 'Degraded') return 'Degraded';
  return Registered.status === 'True' ? 'Provisioning' : 'Pending';
}
