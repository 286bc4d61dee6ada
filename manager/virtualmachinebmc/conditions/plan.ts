import type { KubeObject } from '@groundcrew/controller-runtime';
import { isApplied, stamped, type Application } from '../../agent-workload/index.ts';
import { APPLIED_ANNOTATION } from '../children/identity.ts';
import { CHILD_NAMES, childDrafts, type ChildName } from '../children/children.ts';
import type { Inputs, Stray } from '../inputs.ts';
import { isHolder } from './claim.ts';

/** The writes needed for the children; empty if they are up to date. */
export interface Plan {
  remove: readonly Stray[];
  /** In this order. */
  apply: readonly Application<ChildName>[];
  createCredentials: boolean;
}

/** A BMC that holds its virtual machine gets all children, whatever else is missing; a second one gets none. */
export function planOf(inputs: Inputs): Plan {
  if (!isHolder(inputs.bmc, inputs.claimants))
    return { remove: going(inputs.strays), apply: [], createCredentials: false };
  return {
    remove: going([...inputs.strays, ...leftBehind(inputs)]),
    apply: applications(inputs),
    createCredentials: inputs.secret.generated && inputs.secret.state === 'Missing',
  };
}

/** Children of a deleted BMC, which garbage collection has not removed yet. */
function leftBehind({ children }: Inputs): Stray[] {
  return CHILD_NAMES.flatMap((child) => {
    const fact = children[child];
    return fact.standing === 'Left' ? [{ child, object: fact.object }] : [];
  });
}

/** Without those that are already being deleted. */
function going(strays: readonly Stray[]): Stray[] {
  return strays.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
}

function applications({ bmc, children, defaults, bmcDefaults }: Inputs): Application<ChildName>[] {
  const drafts = childDrafts(bmc, defaults, bmcDefaults);
  return CHILD_NAMES.flatMap((child): Application<ChildName>[] => {
    const fact = children[child];
    const draft = stamped<KubeObject>(drafts[child], APPLIED_ANNOTATION);
    if (fact.standing === 'Absent') return [{ child, draft, uid: undefined }];
    if (fact.standing !== 'Ours' || fact.object.metadata.deletionTimestamp !== undefined) return [];
    return isApplied<KubeObject>(fact.object, draft) ? [] : [{ child, draft, uid: fact.object.metadata.uid }];
  });
}
