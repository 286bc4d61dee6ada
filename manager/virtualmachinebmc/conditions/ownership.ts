import type { ChildName } from '../children/children.ts';
import { CHILD_KINDS } from '../children/children.ts';
import type { Inputs } from '../inputs.ts';
import type { ConditionResult } from './condition-result.ts';
import { REASONS } from './reasons.ts';

/** An object of somebody else's has the name that a child needs: it is left alone, and somebody has to decide. */
export function inTheWay({ children }: Inputs, names: readonly ChildName[]): ConditionResult | undefined {
  for (const name of names) {
    const child = children[name];
    if (child.standing !== 'Theirs') continue;
    const object = `${CHILD_KINDS[name].kind} ${child.object.metadata.name}`;
    return {
      status: 'False',
      reason: REASONS.notOwned,
      message: `${object} is there already and belongs to ${child.owner}. Delete it, or give the VM another name; it is not touched.`,
    };
  }
  return undefined;
}

/** The API server does not take a child as the spec has it. */
export function refused({ refusals }: Inputs, names: readonly ChildName[]): ConditionResult | undefined {
  const refusal = refusals.find(({ child }) => (names as readonly string[]).includes(child)); // 'credentials' is no ChildName
  return refusal === undefined
    ? undefined
    : {
        status: 'False',
        reason: REASONS.refused,
        message: `The API server refused ${refusal.object}: ${refusal.message}`,
      };
}
