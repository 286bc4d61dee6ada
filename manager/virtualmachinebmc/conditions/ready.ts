import type { Inputs } from '../inputs.ts';
import type { ConditionResult } from './condition-result.ts';
import { ipmiOff } from './ipmi-off.ts';
import { REASONS } from './reasons.ts';

/** The conditions that Ready summarizes, in order of dependency. */
export const NEEDED_FOR_READY = [
  'VirtualMachineAvailable',
  'SecretAvailable',
  'ServiceReady',
  'CertificateReady',
  'AgentReady',
  'PowerControlAvailable',
] as const;

export type NeededForReady = Record<(typeof NEEDED_FOR_READY)[number], ConditionResult>;

/** Whether the BMC is fully working; otherwise the first problem. */
export function ready(results: NeededForReady, inputs: Inputs): ConditionResult {
  const blocked = NEEDED_FOR_READY.map((type) => results[type]).find(({ status }) => status !== 'True');
  if (blocked === undefined)
    return { status: 'True', reason: REASONS.ready, message: ipmiOff(inputs) ?? 'The BMC answers.' };
  return { status: 'False', reason: blocked.reason, message: blocked.message };
}
