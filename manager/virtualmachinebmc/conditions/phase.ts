import type { BMCPhase } from '../../../api/index.ts';
import type { ConditionResult } from './condition-result.ts';
import type { NeededForReady } from './ready.ts';
import { REASONS } from './reasons.ts';

/** Nothing moves until a person decides. */
const FINAL = new Set<string>([REASONS.virtualMachineTaken, REASONS.notOwned, REASONS.refused]);

/**
 * One word for people and for tools that take just one:
 * - `Ready`: the BMC answers.
 * - `Failed`: it cannot come to be until somebody changes something about it.
 * - `Degraded`: it was Ready and lacks something now.
 * - `Pending`: the virtual machine or the credentials are not there yet.
 * - `Provisioning`: its address and its agent are being made.
 */
export function phase(results: NeededForReady & { Ready: ConditionResult }, before: BMCPhase | undefined): BMCPhase {
  const { Ready, VirtualMachineAvailable, SecretAvailable } = results;
  if (Ready.status === 'True') return 'Ready';
  if (Object.values(results).some(({ reason }) => FINAL.has(reason))) return 'Failed';
  if (before === 'Ready' || before === 'Degraded') return 'Degraded';
  return VirtualMachineAvailable.status === 'True' && SecretAvailable.status === 'True' ? 'Provisioning' : 'Pending';
}
