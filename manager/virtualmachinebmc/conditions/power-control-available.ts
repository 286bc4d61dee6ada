import { BMC_CONDITIONS } from '../../../api/index.ts';
import { findCondition } from '@groundcrew/controller-runtime';
import type { Inputs } from '../inputs.ts';
import type { ConditionResult } from './condition-result.ts';
import { REASONS } from './reasons.ts';

/** Whether KubeVirt accepts the BMC's power requests, as the agent reports in the status. Without a report they count as accepted. */
export function powerControlAvailable({ bmc }: Inputs): ConditionResult {
  const written = findCondition(bmc.status?.conditions, BMC_CONDITIONS.powerControlAvailable);
  return written ?? { status: 'True', reason: REASONS.powerControlAvailable, message: 'No refusal is known.' };
}
