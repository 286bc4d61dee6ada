import type { BMCPhase } from '../../../api/index.ts';
import type { ConditionResult } from './condition-result.ts';
import type { NeededForReady } from './ready.ts';
import { REASONS } from './reasons.ts';

/** Reasons that only a user can resolve. */
const FINAL = new Set<string>([REASONS.virtualMachineTaken, REASONS.notOwned, REASONS.refused]);

/**
 * The phase, a one-word summary:
 * - `Ready`: the BMC answers.
 * - `Failed`: it cannot work until a user changes something.
 * - `Degraded`: it was Ready and now lacks something.
 * - `Pending`: the virtual machine or the credentials do not exist yet.
 * - `Provisioning`: its address and its agent are being created.
 */
export function phase(results: NeededForReady & { Ready: ConditionResult }, before: BMCPhase | undefined): BMCPhase {
  const { Ready, VirtualMachineAvailable, SecretAvailable } = results;
  if (Ready.status === 'True') return 'Ready';
  if (Object.values(results).some(({ reason }) => FINAL.has(reason))) return 'Failed';
  if (before === 'Ready' || before === 'Degraded') return 'Degraded';
  return VirtualMachineAvailable.status === 'True' && SecretAvailable.status === 'True' ? 'Provisioning' : 'Pending';
}
