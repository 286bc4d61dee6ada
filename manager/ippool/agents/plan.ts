import type { KubeObject } from '@groundcrew/controller-runtime';
import { isApplied, type Application } from '../../agent-workload/index.ts';
import { CHILD_KINDS, type ChildDraft, type ChildName } from './children/children.ts';
import type { Made, NetworkInputs, Refusal } from './inputs.ts';
import { mayRoll } from './roll.ts';

/** The writes needed for a network's agents. */
export interface Plan {
  remove: readonly Made[];
  /** In this order. */
  apply: readonly Application<ChildName>[];
  /** Problems that prevent changes. */
  blocked: readonly Refusal[];
  /** Agents whose roll-out waits for others to be Ready. */
  held: readonly number[];
}

/** Without its net-attach-def a network gets no new or changed agents, but keeps the existing ones. */
export function planOf(inputs: NetworkInputs): Plan {
  const { drafts, standing } = inputs;
  if (drafts === undefined) return { remove: [], apply: [], blocked: [], held: [] };
  const apply: Application<ChildName>[] = [];
  const blocked: Refusal[] = [];
  const held: number[] = [];
  for (const [at, wanted] of drafts.entries()) {
    const fact = standing[at] ?? { standing: 'Absent' };
    if (fact.standing === 'Absent') apply.push(application(wanted, undefined));
    if (fact.standing === 'Theirs') blocked.push(inTheWay(wanted));
    if (fact.standing !== 'Ours' || isLeaving(fact.object)) continue;
    if (isApplied<KubeObject>(fact.object, wanted.draft)) continue;
    if (wanted.child === 'deployment' && !mayRoll(wanted.index, inputs, apply)) held.push(wanted.index);
    else apply.push(application(wanted, fact.object.metadata.uid));
  }
  return { remove: surplus(inputs, drafts), apply, blocked, held };
}

function surplus({ made }: NetworkInputs, drafts: readonly ChildDraft[]): Made[] {
  return made.filter(({ child, object }) => {
    const isWanted = drafts.some(
      ({ child: other, draft: { metadata } }) =>
        other === child && metadata.name === object.metadata.name && metadata.namespace === object.metadata.namespace,
    );
    return !isWanted && !isLeaving(object);
  });
}

function application({ child, draft }: ChildDraft, uid: string | undefined): Application<ChildName> {
  return { child, draft, uid };
}

function inTheWay({ child, draft: { metadata } }: ChildDraft): Refusal {
  const { kind } = CHILD_KINDS[child];
  const object = `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  return { object, message: "is there already and was not made for this network's agents. Delete or rename it." };
}

function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
