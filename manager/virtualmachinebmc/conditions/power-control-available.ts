import { BMC_CONDITIONS } from '../../../api/index.ts';
import { findCondition } from '@groundcrew/controller-runtime';
import type { Inputs } from '../inputs.ts';
import type { ConditionResult } from './condition-result.ts';
import { REASONS } from './reasons.ts';

/** Whether KubeVirt takes the BMC's power calls, as the agent wrote it into the status. An agent that wrote nothing knows of no refusal. */
export function powerControlAvailable({ bmc }: Inputs): ConditionResult {
  const written = findCondition(bmc.status?.conditions, BMC_CONDITIONS.powerControlAvailable);
  return written ?? { status: 'True', reason: REASONS.powerControlAvailable, message: 'No refusal is known.' };
}
