import type { ChildName } from '../children/children.ts';
import { CHILD_KINDS } from '../children/children.ts';
import type { Inputs } from '../inputs.ts';
import type { ConditionResult } from './condition-result.ts';
import { REASONS } from './reasons.ts';

/** An object of another owner has the name of a child: it is not changed, and the user has to decide. */
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

/** The API server rejects a child. */
export function refused({ refusals }: Inputs, names: readonly ChildName[]): ConditionResult | undefined {
  const refusal = refusals.find(({ child }) => (names as readonly string[]).includes(child)); // 'credentials' is not a ChildName
  return refusal === undefined
    ? undefined
    : {
        status: 'False',
        reason: REASONS.refused,
        message: `The API server refused ${refusal.object}: ${refusal.message}`,
      };
}
