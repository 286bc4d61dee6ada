import type { Inputs } from '../inputs.ts';
import type { ConditionResult } from './condition-result.ts';

/**
 * The previous result of a condition, else `otherwise`. Used for facts that a newly started manager does not know yet,
 * so that its restart changes no condition of a healthy BMC.
 */
export function asBefore({ bmc }: Inputs, type: string, otherwise: ConditionResult): ConditionResult {
  const before = bmc.status?.conditions?.find((condition) => condition.type === type);
  return before === undefined ? otherwise : { status: before.status, reason: before.reason, message: before.message };
}
