import { holdsAgents, LABELS } from '../../api/index.ts';
import type { Pod, StatefulSet } from '@groundcrew/controller-runtime';
import { agentImage, isPodReady, podTrouble } from '../agent-workload/index.ts';
import { TEMPLATE_HASH_ANNOTATION } from '../bmc-agent/index.ts';
import { holdsNot, type ConditionResult } from '../conditions.ts';
import { readNote } from '../rollout/index.ts';
import type { Inputs } from './load-inputs.ts';
import type { SharedAgentState } from './shared-agents.ts';

/** Reasons that the conditions of its BMCs get from a shared agent; they are the same as those of a dedicated one. */
export const REASONS = {
  pending: 'AgentPending',
  notReady: 'AgentNotReady',
  notOwned: 'NotOwned',
  refused: 'Refused',
  updating: 'Updating',
  held: 'AgentHeld',
} as const;

/** The pod to which the Services of the BMCs lead: it says of itself that it acts, and it is Ready. */
export function actingPod(pods: readonly Pod[]): Pod | undefined {
  return pods.find(
    (pod) =>
      pod.metadata.labels?.[LABELS.acting] === 'true' &&
      pod.metadata.deletionTimestamp === undefined &&
      isPodReady(pod),
  );
}

/** What the objects of an agent show. */
export function sharedAgentState(inputs: Pick<Inputs, 'agent' | 'statefulSet' | 'pods' | 'turn'>): SharedAgentState {
  const { agent, statefulSet, pods } = inputs;
  const acting = actingPod(pods);
  return {
    problem: acting === undefined ? withoutActing(agent.name, statefulSet, pods) : undefined,
    outdated: outdated(inputs),
    image: acting === undefined ? undefined : agentImage(acting),
    hostIP: acting?.status?.hostIP,
  };
}

function withoutActing(agent: string, statefulSet: StatefulSet | undefined, pods: readonly Pod[]): ConditionResult {
  if (statefulSet === undefined) return holdsNot(REASONS.pending, `Shared agent ${agent} is being made.`);
  const living = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (living.length === 0) {
    const failure = statefulSet.status?.conditions?.find(({ status, message }) => status === 'True' && message);
    const why = failure?.message === undefined ? 'It has no pods yet.' : `Its pods cannot be made: ${failure.message}`;
    return holdsNot(REASONS.pending, `Shared agent ${agent} does not serve. ${why}`);
  }
  const troubles = living
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((pod) => `Pod ${pod.metadata.name} ${isPodReady(pod) ? 'is ready but does not act' : trouble(pod)}.`);
  return holdsNot(REASONS.notReady, `No pod of shared agent ${agent} acts. ${troubles.join(' ')}`);
}

function trouble(pod: Pod): string {
  const said = podTrouble(pod);
  return said === '' ? 'is not ready' : `is not ready: ${said.replace(/\.$/, '')}`;
}

function outdated({
  agent,
  statefulSet,
  pods,
  turn,
}: Pick<Inputs, 'agent' | 'statefulSet' | 'pods' | 'turn'>): ConditionResult | undefined {
  if (statefulSet === undefined) return undefined;
  const newest = statefulSet.spec?.template.metadata?.annotations?.[TEMPLATE_HASH_ANNOTATION];
  if (pods.some(({ metadata }) => metadata.annotations?.[TEMPLATE_HASH_ANNOTATION] !== newest))
    return holdsNot(REASONS.updating, `StatefulSet ${agent.name} replaces its pods, one after the other.`);
  if (turn === undefined || readNote(statefulSet)?.revision === turn.target.name) return undefined;
  return holdsAgents(statefulSet)
    ? holdsNot(
        REASONS.held,
        `An annotation of StatefulSet ${agent.name} keeps the agent at an earlier image and settings.`,
      )
    : holdsNot(
        REASONS.updating,
        `Shared agent ${agent.name} waits for its turn in the roll-out: see the AgentRollout in the namespace of the manager.`,
      );
}
