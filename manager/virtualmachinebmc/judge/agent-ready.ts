import type { ChildName } from '../children/children.ts';
import { AGENT_CONTAINER } from '../children/deployment.ts';
import type { Pod } from '@groundcrew/controller-runtime';
import type { Facts } from '../facts.ts';
import { activeAgent, comingAgent, isReady, isRunning } from './active-agent.ts';
import { isSecondElsewhere } from './claim.ts';
import { firstOf, type Check, type Finding } from './finding.ts';
import { ipmiOff } from './ipmi-off.ts';
import { inTheWay, refused } from './ownership.ts';
import { REASONS } from './reasons.ts';
import { secretAvailable } from './secret-available.ts';

const NEEDED: readonly ChildName[] = ['serviceAccount', 'role', 'roleBinding', 'deployment'];

/**
 * Whether the agent answers on the protocol (its readiness probe has an exchange with itself) and works by the spec as
 * it stands (it has confirmed the generation).
 */
export function agentReady(facts: Facts): Finding {
  const checks: Check[] = [
    isSecondElsewhere,
    (given) => inTheWay(given, NEEDED),
    (given) => refused(given, NEEDED),
    notMade,
    withoutPod,
    notAnswering,
    behind,
  ];
  return firstOf(checks, facts, {
    status: 'True',
    reason: REASONS.agentReady,
    message: confirmation(facts),
  });
}

function confirmation(facts: Facts): string {
  const agent = `Agent ${activeAgent(facts)?.metadata.name ?? ''}`;
  const off = ipmiOff(facts);
  return off === undefined ? `${agent} answers and has confirmed the spec.` : `${agent} has confirmed the spec. ${off}`;
}

const notMade: Check = ({ children }) =>
  children.deployment.standing === 'Ours' ? undefined : notReady(REASONS.agentPending, 'The agent is being made.');

const withoutPod: Check = (facts) => {
  if (activeAgent(facts) !== undefined) return undefined;
  const pod = comingAgent(facts);
  if (pod !== undefined) return notServing(pod, facts, isRunning(pod) ? 'runs but is not ready.' : 'starts.');
  const { deployment } = facts.children;
  const failure =
    deployment.standing === 'Ours'
      ? deployment.object.status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')
      : undefined;
  return failure === undefined
    ? notReady(REASONS.agentPending, 'The agent has no pod yet.')
    : notReady(REASONS.agentNotReady, `The agent's pod cannot be made: ${failure.message ?? failure.reason ?? ''}`);
};

const notAnswering: Check = (facts) => {
  const pod = activeAgent(facts);
  if (pod === undefined || isReady(pod)) return undefined;
  return notServing(pod, facts, 'does not answer.');
};

/** The agent is not to blame where its credentials are unfit: it runs, and is not Ready until it can let somebody in. */
function notServing(pod: Pod, facts: Facts, otherwise: string): Finding {
  const agent = `Agent ${pod.metadata.name}`;
  return isRunning(pod) && secretAvailable(facts).status !== 'True'
    ? notReady(REASONS.agentNotReady, `${agent} runs but cannot serve yet: see SecretAvailable.`)
    : notReady(REASONS.agentNotReady, `${agent} ${otherwise} ${troubleOf(pod)}`.trim());
}

const behind: Check = ({ bmc }) => {
  const generation = bmc.metadata.generation ?? 0;
  const confirmed = bmc.status?.agent?.observedGeneration;
  if (confirmed === generation) return undefined;
  return notReady(
    'AgentBehind',
    `The agent has not confirmed generation ${generation} of the spec yet (last: ${confirmed ?? 'none'}).`,
  );
};

/** What the kubelet or the scheduler says of a pod that is not Ready, or ''. */
function troubleOf(pod: Pod): string {
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled !== undefined) return sentence(unscheduled.reason, unscheduled.message);
  const container = pod.status?.containerStatuses?.find(({ name }) => name === AGENT_CONTAINER);
  const { waiting, terminated = container?.lastState?.terminated } = container?.state ?? {};
  if (waiting !== undefined) return sentence(waiting.reason, waiting.message);
  return terminated === undefined
    ? ''
    : sentence(terminated.reason, terminated.message ?? `exit ${terminated.exitCode}`);
}

function sentence(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(': ');
}

function notReady(reason: string, message: string): Finding {
  return { status: 'False', reason, message };
}
