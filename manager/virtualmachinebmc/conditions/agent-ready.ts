import type { ChildName } from '../children/children.ts';
import { AGENT_CONTAINER } from '../../agent-workload/index.ts';
import type { Pod } from '@groundcrew/controller-runtime';
import type { Inputs } from '../inputs.ts';
import { activeAgent, comingAgent, isReady, isRunning } from './active-agent.ts';
import { isSecondElsewhere } from './claim.ts';
import { firstOf, type Check, type ConditionResult } from './condition-result.ts';
import { ipmiOff } from './ipmi-off.ts';
import { inTheWay, refused } from './ownership.ts';
import { REASONS } from './reasons.ts';
import { secretAvailable } from './secret-available.ts';

const NEEDED: readonly ChildName[] = ['serviceAccount', 'role', 'roleBinding', 'deployment'];

/**
 * Whether the agent serves (its readiness probe exchanges messages with itself over the protocol) and has confirmed the
 * current generation of the spec.
 */
export function agentReady(inputs: Inputs): ConditionResult {
  const checks: Check[] = [
    isSecondElsewhere,
    (given) => inTheWay(given, NEEDED),
    (given) => refused(given, NEEDED),
    notMade,
    withoutPod,
    notAnswering,
    behind,
  ];
  return firstOf(checks, inputs, {
    status: 'True',
    reason: REASONS.agentReady,
    message: confirmation(inputs),
  });
}

function confirmation(inputs: Inputs): string {
  const agent = `Agent ${activeAgent(inputs)?.metadata.name ?? ''}`;
  const off = ipmiOff(inputs);
  return off === undefined ? `${agent} answers and has confirmed the spec.` : `${agent} has confirmed the spec. ${off}`;
}

const notMade: Check = ({ children }) =>
  children.deployment.standing === 'Ours' ? undefined : notReady(REASONS.agentPending, 'The agent is being made.');

const withoutPod: Check = (inputs) => {
  if (activeAgent(inputs) !== undefined) return undefined;
  const pod = comingAgent(inputs);
  if (pod !== undefined) return notServing(pod, inputs, isRunning(pod) ? 'runs but is not ready.' : 'starts.');
  const { deployment } = inputs.children;
  const failure =
    deployment.standing === 'Ours'
      ? deployment.object.status?.conditions?.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')
      : undefined;
  return failure === undefined
    ? notReady(REASONS.agentPending, 'The agent has no pod yet.')
    : notReady(REASONS.agentNotReady, `The agent's pod cannot be made: ${failure.message ?? failure.reason ?? ''}`);
};

const notAnswering: Check = (inputs) => {
  const pod = activeAgent(inputs);
  if (pod === undefined || isReady(pod)) return undefined;
  return notServing(pod, inputs, 'does not answer.');
};

/** With unsuitable credentials the agent runs but is not Ready until a client can log in. */
function notServing(pod: Pod, inputs: Inputs, otherwise: string): ConditionResult {
  const agent = `Agent ${pod.metadata.name}`;
  return isRunning(pod) && secretAvailable(inputs).status !== 'True'
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

/** The message of the kubelet or the scheduler about a pod that is not Ready, or ''. */
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

function notReady(reason: string, message: string): ConditionResult {
  return { status: 'False', reason, message };
}
