import { sharedAgentIndex } from '../../api/index.ts';
import { isPodReady } from '../agent-workload/index.ts';
import { assignmentOf, type Assignment } from '../sharedagent/index.ts';
import { activeAgent } from './conditions/active-agent.ts';
import type { Inputs } from './inputs.ts';

/** The agent to which a BMC's Service leads: its own, or a slot of a shared one. */
export type Route = 'Own' | Assignment;

/**
 * The agent to which the Service should lead now. While the BMC moves, it is the one before until the next one serves the BMC: its
 * name is in the status, and it has confirmed the spec. So a client finds an agent at any time, if there is one.
 *
 * @returns undefined: none; no shared agent has room for a new BMC
 */
export function routeOf(inputs: Inputs): Route | undefined {
  const { placement, children } = inputs;
  const { wanted, assignment } = placement;
  const { service, deployment } = children;
  const recorded = service.standing === 'Ours' ? assignmentOf(service.object) : undefined;
  if (wanted === 'Shared') {
    const isOwn = service.standing === 'Ours' && recorded === undefined && deployment.standing === 'Ours';
    if (!isOwn) return assignment;
    return assignment !== undefined && isConfirmed(inputs, assignment.agent) ? assignment : 'Own';
  }
  if (recorded === undefined) return 'Own';
  const own = readyOwnAgent(inputs);
  return own !== undefined && isConfirmed(inputs, own) ? 'Own' : recorded;
}

/** Whether the BMC has, or is to have, an agent of its own. */
export function needsOwnAgent(inputs: Inputs): boolean {
  return inputs.placement.wanted === 'Dedicated' || routeOf(inputs) === 'Own';
}

/** Whether the BMC is shared and its Service leads to the shared agent, so that its own agent can go. */
export function hasLeftOwnAgent({ placement, children: { service } }: Inputs): boolean {
  return placement.wanted === 'Shared' && service.standing === 'Ours' && assignmentOf(service.object) !== undefined;
}

/** The name of the agent that acts for the BMC: a pod of its own, or a shared agent; undefined: none yet. */
export function actingName(inputs: Inputs): string | undefined {
  const { placement, bmc } = inputs;
  const { wanted, assignment, agent, isTold } = placement;
  const own = activeAgent(inputs)?.metadata.name;
  if (assignment === undefined) return own;
  const route = routeOf(inputs);
  if (wanted === 'Dedicated') return route === 'Own' ? own : (readyOwnAgent(inputs) ?? assignment.agent);
  if (route !== 'Own') return assignment.agent;
  // It moves. The next agent acts before the Service leads to it, and does not give it back.
  const isNext = bmc.status?.agent?.name === assignment.agent || (isTold && agent !== undefined && !agent.problem);
  return isNext ? assignment.agent : own;
}

/** Whether a name in the status is that of a shared agent. */
export function isSharedName(name: string | undefined): boolean {
  return name !== undefined && sharedAgentIndex(name) !== undefined;
}

function readyOwnAgent(inputs: Inputs): string | undefined {
  const pod = activeAgent(inputs);
  return pod !== undefined && isPodReady(pod) ? pod.metadata.name : undefined;
}

function isConfirmed({ bmc: { metadata, status } }: Inputs, name: string): boolean {
  return status?.agent?.name === name && status.agent.observedGeneration === (metadata.generation ?? 0);
}
