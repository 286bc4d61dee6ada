import { timestamp, type Draft, type KubeObject, type StatefulSet } from '@groundcrew/controller-runtime';
import { covers, stamped, type Application } from '../agent-workload/index.ts';
import { APPLIED_ANNOTATION, TEMPLATE_HASH_ANNOTATION } from '../bmc-agent/index.ts';
import { chooseDraft } from '../rollout/index.ts';
import { appliedDrafts, leaseDraft, secretDraft, type ChildName } from './children/children.ts';
import { statefulSet } from './children/stateful-set.ts';
import type { ChildFact, Inputs } from './load-inputs.ts';
import { memberChanges } from './members.ts';

/** The writes that make the objects of an agent as they should be; empty if they are. */
export interface Plan {
  /** In this order. */
  apply: readonly Application<ChildName>[];
  /** Of the data of the Secret. */
  members: Readonly<Record<string, string | null>>;
}

/** @param now milliseconds since 1970 */
export function planOf(inputs: Inputs, now: number): Plan {
  const { agent, members, named, children, defaults } = inputs;
  // An agent has the permissions for a BMC before it is told of it, and until it knows that it is gone.
  const bmcs = new Map([...named, ...members.map(({ bmc }) => bmc)].map((bmc) => [bmc.metadata.name, bmc]));
  const sorted = [...bmcs.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const drafts = appliedDrafts(agent, sorted, defaults);
  return {
    apply: [
      ...application('serviceAccount', drafts.serviceAccount, children.serviceAccount),
      ...application('role', drafts.role, children.role),
      ...application('roleBinding', drafts.roleBinding, children.roleBinding),
      ...created('lease', leaseDraft(agent), children.lease),
      ...created('secret', secretDraft(agent), children.secret),
      ...application('disruptionBudget', drafts.disruptionBudget, children.disruptionBudget),
      ...application('statefulSet', wantedStatefulSet(inputs, timestamp(now)), children.statefulSet),
    ],
    members: memberChanges(members, inputs.secret?.data ?? {}),
  };
}

/** What the roll-out allows the agent; undefined: leave it as it is. */
function wantedStatefulSet(
  { agent, statefulSet: existing, pods, turn, capacity }: Inputs,
  now: string,
): Draft<StatefulSet> | undefined {
  if (turn === undefined) return undefined;
  const render = (settings: Inputs['defaults']): Draft<StatefulSet> => statefulSet(agent, settings, capacity);
  return chooseDraft({ existing, hashAnnotation: TEMPLATE_HASH_ANNOTATION, own: '', pods, render }, turn, now);
}

function application(
  child: ChildName,
  wanted: Draft<KubeObject> | undefined,
  fact: ChildFact,
): Application<ChildName>[] {
  if (wanted === undefined || fact.standing === 'Theirs') return [];
  const draft = stamped<KubeObject>(wanted, APPLIED_ANNOTATION);
  if (fact.standing !== 'Ours') return [{ child, draft, uid: undefined }];
  if (fact.object.metadata.deletionTimestamp !== undefined || covers(fact.object, draft)) return [];
  return [{ child, draft, uid: fact.object.metadata.uid }];
}

/** An object that the agent, or this controller, changes otherwise. */
function created(child: ChildName, draft: Draft<KubeObject>, fact: ChildFact): Application<ChildName>[] {
  return fact.standing === 'Absent' ? [{ child, draft, uid: undefined }] : [];
}
