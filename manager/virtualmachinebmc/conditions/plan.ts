import type { Draft, KubeObject } from '@groundcrew/controller-runtime';
import { isApplied, stamped } from '../../children/index.ts';
import { APPLIED_ANNOTATION } from '../children/applied-annotation.ts';
import { CHILD_NAMES, childDrafts, type ChildName } from '../children/children.ts';
import type { Inputs, Stray } from '../inputs.ts';
import { isHolder } from './claim.ts';

/** What has to be written for the children to be as they should; all empty when they are. */
export interface Plan {
  remove: readonly Stray[];
  /** In this order. */
  apply: readonly Application[];
  createCredentials: boolean;
}

export interface Application {
  child: ChildName;
  draft: Draft<KubeObject>;
  /** Of the object that is to be changed; undefined: none is there. */
  uid: string | undefined;
}

/** A BMC that has its virtual machine has all children, whatever else is lost; a second one has none. */
export function planOf(inputs: Inputs): Plan {
  if (!isHolder(inputs.bmc, inputs.claimants))
    return { remove: going(inputs.strays), apply: [], createCredentials: false };
  return {
    remove: going([...inputs.strays, ...leftBehind(inputs)]),
    apply: applications(inputs),
    createCredentials: inputs.secret.generated && inputs.secret.state === 'Missing',
  };
}

/** Children of a BMC that is gone: the cluster collects them, in its own time. */
function leftBehind({ children }: Inputs): Stray[] {
  return CHILD_NAMES.flatMap((child) => {
    const fact = children[child];
    return fact.standing === 'Left' ? [{ child, object: fact.object }] : [];
  });
}

/** Without those that are on their way out. */
function going(strays: readonly Stray[]): Stray[] {
  return strays.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
}

function applications({ bmc, children, defaults, bmcDefaults }: Inputs): Application[] {
  const drafts = childDrafts(bmc, defaults, bmcDefaults);
  return CHILD_NAMES.flatMap((child): Application[] => {
    const fact = children[child];
    const draft = stamped<KubeObject>(drafts[child], APPLIED_ANNOTATION);
    if (fact.standing === 'Absent') return [{ child, draft, uid: undefined }];
    if (fact.standing !== 'Ours' || fact.object.metadata.deletionTimestamp !== undefined) return [];
    return isApplied<KubeObject>(fact.object, draft) ? [] : [{ child, draft, uid: fact.object.metadata.uid }];
  });
}
