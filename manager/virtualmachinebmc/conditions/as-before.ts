import type { Inputs } from '../inputs.ts';
import type { ConditionResult } from './condition-result.ts';

/**
 * What a condition said last, else `otherwise`: for what is not known because the manager has only just started, so
 * that a restart of the manager turns no condition of a healthy BMC.
 */
export function asBefore({ bmc }: Inputs, type: string, otherwise: ConditionResult): ConditionResult {
  const before = bmc.status?.conditions?.find((condition) => condition.type === type);
  return before === undefined ? otherwise : { status: before.status, reason: before.reason, message: before.message };
}
