import type { Deployment } from '@groundcrew/controller-runtime';
import type { Inputs } from '../inputs.ts';
import { activeAgent, comingAgent, isOfNewestTemplate, isRunning } from './active-agent.ts';
import { isSecondElsewhere } from './claim.ts';
import { firstOf, type Check, type ConditionResult } from './condition-result.ts';
import { REASONS } from './reasons.ts';

/** Whether the active agent has the current image and settings and no other agent remains. */
export function upToDate(inputs: Inputs): ConditionResult {
  return firstOf([isSecondElsewhere, notRolledOut, lastOneActs, lastOneDrains], inputs, {
    status: 'True',
    reason: REASONS.upToDate,
    message: 'The agent runs with the image and settings that it should.',
  });
}

const notRolledOut: Check = ({ children: { deployment } }) => {
  if (deployment.standing !== 'Ours') return updating('The agent is being made.');
  const { metadata, spec, status } = deployment.object;
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  if (isSeen && (status?.updatedReplicas ?? 0) >= (spec?.replicas ?? 1)) return undefined;
  return isStuck(deployment.object)
    ? { status: 'False', reason: REASONS.rollOutStuck, message: stuckMessage(deployment.object) }
    : updating(`Deployment ${metadata.name} is being rolled out.`);
};

const lastOneActs: Check = (inputs) => {
  const agent = activeAgent(inputs);
  if (agent === undefined) {
    const coming = comingAgent(inputs);
    return coming !== undefined && isRunning(coming)
      ? updating(`Agent ${coming.metadata.name} runs but has not been ready yet: see AgentReady.`)
      : updating('The agent has not started yet.');
  }
  if (isOfNewestTemplate(agent, inputs)) return undefined;
  const { deployment } = inputs.children;
  return deployment.standing === 'Ours' && isStuck(deployment.object)
    ? { status: 'False', reason: REASONS.rollOutStuck, message: stuckMessage(deployment.object) }
    : updating(`Agent ${agent.metadata.name} acts until the next one is ready.`);
};

const lastOneDrains: Check = (inputs) => {
  const last = inputs.pods.find((pod) => !isOfNewestTemplate(pod, inputs));
  return last === undefined ? undefined : updating(`Agent ${last.metadata.name} lets its sessions end.`);
};

function isStuck(deployment: Deployment): boolean {
  return progress(deployment)?.reason === 'ProgressDeadlineExceeded';
}

function stuckMessage(deployment: Deployment): string {
  return (
    `Deployment ${deployment.metadata.name} does not get on: ${progress(deployment)?.message ?? ''} ` +
    'See its newest pod; the agent that ran before goes on.'
  );
}

function progress(deployment: Deployment) {
  return deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
}

function updating(message: string): ConditionResult {
  return { status: 'False', reason: REASONS.updating, message };
}
