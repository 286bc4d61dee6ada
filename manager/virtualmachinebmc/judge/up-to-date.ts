import type { Deployment } from '@groundcrew/controller-runtime';
import type { Facts } from '../facts.ts';
import { activeAgent, comingAgent, isOfNewestTemplate, isRunning } from './active-agent.ts';
import { isSecondElsewhere } from './claim.ts';
import { firstOf, type Check, type Finding } from './finding.ts';
import { REASONS } from './reasons.ts';

/** Whether the agent that acts runs the image and the settings that it should, and no other agent is left. */
export function upToDate(facts: Facts): Finding {
  return firstOf([isSecondElsewhere, notRolledOut, lastOneActs, lastOneDrains], facts, {
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

const lastOneActs: Check = (facts) => {
  const agent = activeAgent(facts);
  if (agent === undefined) {
    const coming = comingAgent(facts);
    return coming !== undefined && isRunning(coming)
      ? updating(`Agent ${coming.metadata.name} runs but has not been ready yet: see AgentReady.`)
      : updating('The agent has not started yet.');
  }
  if (isOfNewestTemplate(agent, facts)) return undefined;
  const { deployment } = facts.children;
  return deployment.standing === 'Ours' && isStuck(deployment.object)
    ? { status: 'False', reason: REASONS.rollOutStuck, message: stuckMessage(deployment.object) }
    : updating(`Agent ${agent.metadata.name} acts until the next one is ready.`);
};

const lastOneDrains: Check = (facts) => {
  const last = facts.pods.find((pod) => !isOfNewestTemplate(pod, facts));
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

function updating(message: string): Finding {
  return { status: 'False', reason: REASONS.updating, message };
}
