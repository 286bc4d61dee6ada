import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import type { Assignment } from '../../sharedagent/index.ts';
import type { Inputs } from '../inputs.ts';
import { isSharedName, routeOf } from '../route.ts';
import { asBefore, firstOf, REASONS, type Check } from './condition-result.ts';
import { ipmiOff, secretAvailable, tooLongToShare } from './secret-available.ts';
import { isSecondElsewhere } from './virtual-machine.ts';

/**
 * Whether the shared agent serves the BMC and has confirmed the current generation of the spec. The message names no pod: another one
 * takes over without a change here.
 *
 * @param route the slot; undefined: no agent has room
 */
export function sharedAgentReady(inputs: Inputs, route: Assignment | undefined): ConditionResult {
  if (route === undefined) return firstOf([isSecondElsewhere], inputs, noRoom(inputs));
  const agent = `Shared agent ${route.agent}`;
  const off = ipmiOff(inputs);
  const good =
    off === undefined ? `${agent} answers and has confirmed the spec.` : `${agent} has confirmed the spec. ${off}`;
  return firstOf([isSecondElsewhere, unknown, down, reported, behind], inputs, holds(REASONS.agentReady, good));
}

/** No shared agent has room, and the namespace can have no further one. */
export function noRoom({ bmc }: Inputs): ConditionResult {
  return holdsNot(
    REASONS.noRoom,
    `All shared agents of namespace ${bmc.metadata.namespace ?? ''} are full, and it can have no further one. ` +
      "Use spec.placement: Dedicated, or raise the chart's bmc.sharedAgents.capacity.",
  );
}

const unknown: Check = (inputs) =>
  inputs.placement.agent === undefined
    ? asBefore(inputs, 'AgentReady', holdsNot(REASONS.agentPending, `Shared agent ${nameOf(inputs)} starts.`))
    : undefined;

const down: Check = ({ placement }) => placement.agent?.problem;

/** With unsuitable credentials the agent does not serve the BMC. */
const reported: Check = (inputs) => {
  const problem = inputs.bmc.status?.agent?.problem;
  if (problem === undefined) return undefined;
  return secretAvailable(inputs).status === 'True'
    ? holdsNot(REASONS.agentNotReady, `Shared agent ${nameOf(inputs)} does not serve the BMC: ${problem}`)
    : holdsNot(REASONS.agentNotReady, `Shared agent ${nameOf(inputs)} cannot serve the BMC yet: see SecretAvailable.`);
};

const behind: Check = (inputs) => {
  const { metadata, status } = inputs.bmc;
  const acting = status?.agent?.name;
  // It moves: the next agent acts already, and this one still answers.
  if (acting !== undefined && !isSharedName(acting)) return undefined;
  const generation = metadata.generation ?? 0;
  const confirmed = status?.agent?.observedGeneration;
  if (confirmed === generation) return undefined;
  return holdsNot(
    REASONS.agentBehind,
    `Shared agent ${nameOf(inputs)} has not confirmed generation ${generation} of the spec yet (last: ${confirmed ?? 'none'}).`,
  );
};

/** The BMC is served by another kind of agent than it should. */
export const moving: Check = (inputs) => {
  const { wanted, assignment, agent } = inputs.placement;
  const route = routeOf(inputs);
  if (wanted === 'Shared' && route === 'Own') {
    if (assignment === undefined) return noRoom(inputs);
    const known = agent?.problem ?? tooLongToShare(inputs);
    const why = known?.message ?? inputs.bmc.status?.agent?.problem ?? '';
    return holdsNot(
      REASONS.updating,
      `The BMC moves to shared agent ${assignment.agent} when that serves it. ${why}`.trim(),
    );
  }
  if (wanted === 'Dedicated' && route !== 'Own')
    return holdsNot(REASONS.updating, 'The BMC moves to an agent of its own when that is ready: see its pod.');
  return undefined;
};

/** What is left of the agent of its own from which the BMC has moved. */
export const formerOneEnds: Check = ({ children: { deployment }, pods }) => {
  if (deployment.standing === 'Ours') return holdsNot(REASONS.updating, 'The agent of its own is being removed.');
  const [pod] = pods;
  return pod === undefined
    ? undefined
    : holdsNot(REASONS.updating, `Agent ${pod.metadata.name} lets its sessions end.`);
};

/** The shared agent has not the image and settings that it should. */
export const sharedOutdated: Check = ({ placement }) => placement.agent?.outdated;

function nameOf({ placement }: Inputs): string {
  return placement.assignment?.agent ?? '';
}
