import type { KubeObject, Deployment } from '@groundcrew/controller-runtime';
import { covers, type Application } from '../../agent-workload/index.ts';
import { CHILD_KINDS, type ChildDraft, type ChildName } from './children/children.ts';
import type { Made, NetworkInputs, Refusal } from './inputs.ts';
import { indexOf, isReady } from './identity.ts';

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
    const isLeft = wanted.child === 'deployment' && wanted.isLeft === true;
    if (fact.standing === 'Absent' && !isLeft) apply.push(application(wanted, undefined));
    if (fact.standing === 'Theirs') blocked.push(inTheWay(wanted));
    if (fact.standing !== 'Ours' || isLeaving(fact.object)) continue;
    if (isLeft || covers(fact.object, wanted.draft)) continue;
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
  return { object, message: "already exists and was not created for this network's agents. Delete or rename it." };
}

function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Milliseconds to wait for another agent that is not Ready. */
export const PATIENCE = 120_000;

/**
 * Whether an agent may get its next template now. One that is not Ready may always. A Ready one may if every other
 * agent of the network is Ready with its newest template and none is rolled in the same pass, so that one of several
 * always answers. Agents that have been unavailable for long are not waited for.
 */
export function mayRoll(
  index: number,
  { made, pods, drafts = [], now }: NetworkInputs,
  applied: readonly Application<ChildName>[],
): boolean {
  if (!pods.some((pod) => indexOf(pod) === index && isReady(pod))) return true;
  if (applied.some(({ child, uid }) => child === 'deployment' && uid !== undefined)) return false;
  const others = drafts.flatMap((wanted) =>
    wanted.child === 'deployment' && wanted.index !== index ? [wanted.index] : [],
  );
  return others.every((other) => {
    const deployment = made.find(({ child, object }) => child === 'deployment' && indexOf(object) === other)?.object;
    // An agent that is only being created does not reduce availability.
    if (deployment === undefined) return true;
    return isSettled(deployment) || hasBeenAway(deployment, now);
  });
}

/** Whether the Deployment's pod has its current template and is Ready. */
function isSettled({ metadata, status = {} }: Deployment): boolean {
  const isSeen = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isSeen && (status.updatedReplicas ?? 0) >= 1 && (status.readyReplicas ?? 0) >= 1;
}

function hasBeenAway({ status }: Deployment, now: number): boolean {
  const available = status?.conditions?.find(({ type }) => type === 'Available');
  if (available?.status !== 'False' || available.lastTransitionTime === undefined) return false;
  return now - Date.parse(available.lastTransitionTime) >= PATIENCE;
}
