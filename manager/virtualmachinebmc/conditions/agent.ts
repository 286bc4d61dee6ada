import { holdsAgents } from '../../../api/index.ts';
import { readNote } from '../../rollout/index.ts';
import type { ChildName } from '../children/children.ts';
import { isPodReady, podTrouble, refusedImage } from '../../agent-workload/index.ts';
import type { Pod, Deployment } from '@groundcrew/controller-runtime';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import type { Inputs } from '../inputs.ts';
import { activeAgent, comingAgent, hasServed, isRunning, isOfNewestTemplate } from './active-agent.ts';
import { isSecondElsewhere } from './virtual-machine.ts';
import { isSharedName, routeOf } from '../route.ts';
import { formerOneEnds, moving, sharedAgentReady, sharedOutdated } from './shared-agent.ts';
import { firstOf, inTheWay, refused, REASONS, type Check } from './condition-result.ts';
import { ipmiOff, secretAvailable } from './secret-available.ts';

const NEEDED: readonly ChildName[] = ['serviceAccount', 'role', 'roleBinding', 'deployment'];

/**
 * Whether the agent serves (its readiness probe exchanges messages with itself over the protocol) and has confirmed the
 * current generation of the spec.
 */
export function agentReady(inputs: Inputs): ConditionResult {
  const route = routeOf(inputs);
  if (route !== 'Own') return sharedAgentReady(inputs, route);
  const checks: Check[] = [
    isSecondElsewhere,
    (given) => inTheWay(given, NEEDED),
    (given) => refused(given, NEEDED),
    notMade,
    withoutPod,
    notAnswering,
    behind,
  ];
  return firstOf(checks, inputs, holds(REASONS.agentReady, confirmation(inputs)));
}

function confirmation(inputs: Inputs): string {
  const agent = `Agent ${activeAgent(inputs)?.metadata.name ?? ''}`;
  const off = ipmiOff(inputs);
  return off === undefined ? `${agent} answers and has confirmed the spec.` : `${agent} has confirmed the spec. ${off}`;
}

const notMade: Check = ({ children }) =>
  children.deployment.standing === 'Ours' ? undefined : holdsNot(REASONS.agentPending, 'The agent is being made.');

const withoutPod: Check = (inputs) => {
  if (activeAgent(inputs) !== undefined) return undefined;
  const pod = comingAgent(inputs);
  if (pod !== undefined) return notServing(pod, inputs, stepOf(pod));
  const { deployment } = inputs.children;
  const failure =
    deployment.standing === 'Ours'
      ? deployment.object.status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')
      : undefined;
  return failure === undefined
    ? holdsNot(REASONS.agentPending, 'The agent has no pod yet.')
    : holdsNot(REASONS.agentNotReady, `The agent's pod cannot be made: ${failure.message ?? failure.reason ?? ''}`);
};

const notAnswering: Check = (inputs) => {
  const pod = activeAgent(inputs);
  if (pod === undefined || isPodReady(pod)) return undefined;
  return notServing(pod, inputs, hasServed(inputs.bmc) ? 'does not answer.' : stepOf(pod));
};

function stepOf(pod: Pod): string {
  return isRunning(pod) ? 'runs but is not ready.' : 'starts.';
}

/** Whether the first agent is on its way, without anything that a user should know of. */
export function isComing(inputs: Inputs): boolean {
  const pod = activeAgent(inputs);
  return pod !== undefined && !hasServed(inputs.bmc) && !isHindered(pod);
}

/** Whether a pod has a trouble that may last. */
function isHindered(pod: Pod): boolean {
  const trouble = podTrouble(pod);
  return trouble !== '' && !/^(ContainerCreating|PodInitializing)\b/.test(trouble);
}

/** With unsuitable credentials the agent runs but is not Ready until a client can log in. */
function notServing(pod: Pod, inputs: Inputs, otherwise: string): ConditionResult {
  const agent = `Agent ${pod.metadata.name}`;
  return isRunning(pod) && secretAvailable(inputs).status !== 'True'
    ? holdsNot(REASONS.agentNotReady, `${agent} runs but cannot serve yet: see SecretAvailable.`)
    : holdsNot(REASONS.agentNotReady, `${agent} ${otherwise} ${podTrouble(pod)}`.trim());
}

const behind: Check = ({ bmc }) => {
  // It moves: the next agent acts already, and this one still answers.
  if (isSharedName(bmc.status?.agent?.name)) return undefined;
  const generation = bmc.metadata.generation ?? 0;
  const confirmed = bmc.status?.agent?.observedGeneration;
  if (confirmed === generation) return undefined;
  return holdsNot(
    REASONS.agentBehind,
    `The agent has not confirmed generation ${generation} of the spec yet (last: ${confirmed ?? 'none'}).`,
  );
};

/** Whether the active agent has the current image and settings and no other agent remains. */
export function upToDate(inputs: Inputs): ConditionResult {
  const own = [notRolledOut, lastOneActs, lastOneDrains, waitsForItsTurn, imageNotAllowed];
  return firstOf(
    [isSecondElsewhere, moving, ...(routeOf(inputs) === 'Own' ? own : [formerOneEnds, sharedOutdated])],
    inputs,
    holds(REASONS.upToDate, 'The agent runs with the image and settings that it should.'),
  );
}

const notRolledOut: Check = (inputs) => {
  const { deployment } = inputs.children;
  if (deployment.standing !== 'Ours') return updating('The agent is being made.');
  const agent = activeAgent(inputs);
  // The pod shows it earlier than the status of the Deployment.
  if (agent !== undefined && isPodReady(agent) && isOfNewestTemplate(agent, inputs)) return undefined;
  const { metadata, spec, status } = deployment.object;
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  if (isSeen && (status?.updatedReplicas ?? 0) >= (spec?.replicas ?? 1)) return undefined;
  return isStuck(deployment.object)
    ? holdsNot(REASONS.rollOutStuck, stuckMessage(deployment.object))
    : updating(`Deployment ${metadata.name} is being rolled out.`);
};

const lastOneActs: Check = (inputs) => {
  const agent = activeAgent(inputs);
  if (agent === undefined || (!isPodReady(agent) && !hasServed(inputs.bmc))) {
    const coming = comingAgent(inputs);
    return coming !== undefined && isRunning(coming)
      ? updating(`Agent ${coming.metadata.name} runs but has not been ready yet: see AgentReady.`)
      : updating('The agent has not started yet.');
  }
  if (isOfNewestTemplate(agent, inputs)) return undefined;
  const { deployment } = inputs.children;
  return deployment.standing === 'Ours' && isStuck(deployment.object)
    ? holdsNot(REASONS.rollOutStuck, stuckMessage(deployment.object))
    : updating(`Agent ${agent.metadata.name} acts until the next one is ready.`);
};

const lastOneDrains: Check = (inputs) => {
  const last = inputs.pods.find((pod) => !isOfNewestTemplate(pod, inputs));
  return last === undefined ? undefined : updating(`Agent ${last.metadata.name} lets its sessions end.`);
};

const waitsForItsTurn: Check = ({ bmc, children: { deployment }, turn }) => {
  if (turn === undefined || deployment.standing !== 'Ours') return undefined;
  if (readNote(deployment.object)?.revision === turn.target.name) return undefined;
  return holdsAgents(bmc)
    ? holdsNot(
        'AgentHeld',
        'An annotation of the BMC keeps its agent at an earlier image and settings. Remove it to update the agent.',
      )
    : updating('The agent waits for its turn in the roll-out: see the AgentRollout in the namespace of the manager.');
};

const imageNotAllowed: Check = ({ bmc, defaults }) => {
  const message = refusedImage(bmc.spec.agent ?? {}, defaults);
  return message === undefined ? undefined : holdsNot(REASONS.imageNotAllowed, message);
};

function isStuck(deployment: Deployment): boolean {
  return progress(deployment)?.reason === 'ProgressDeadlineExceeded';
}

function stuckMessage(deployment: Deployment): string {
  return (
    `Deployment ${deployment.metadata.name} makes no progress: ${progress(deployment)?.message ?? ''} ` +
    'See its newest pod; the previous agent continues to run.'
  );
}

function progress(deployment: Deployment) {
  return deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
}

function updating(message: string): ConditionResult {
  return holdsNot(REASONS.updating, message);
}
