import type { Deployment } from '@groundcrew/controller-runtime';
import type { Application } from '../../agent-workload/index.ts';
import type { ChildName } from './children/children.ts';
import type { NetworkInputs } from './inputs.ts';
import { indexOf } from './identity.ts';
import { isReady } from './pods.ts';

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
