import { isPodReady, podTrouble } from '../../agent-workload/index.ts';
import type { AgentFact, PoolInputs } from './inputs.ts';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import { REASONS } from './reasons.ts';
import { registered } from './conditions.ts';

/** Whether at least one agent answers the pool's clients. */
export function agentReady(inputs: PoolInputs): ConditionResult {
  const { pool, agents, report } = inputs;
  const answering = agents.filter(({ isReady }) => isReady);
  const silent = agents.find(({ isReady }) => !isReady);
  if (answering.length > 0) {
    if (silent === undefined) return holds(REASONS.agentReady, answers(answering));
    const message = `${answering.length} of ${agents.length} agents answer. ${troubleOf(silent, inputs)}${waiting(inputs)}`;
    return holds(REASONS.agentsDegraded, message);
  }
  if (pool.spec.paused === true) return holdsNot(REASONS.paused, 'The pool is paused.');
  if (registered(inputs).status !== 'True') return holdsNot(REASONS.notServed, 'See Registered.');
  if (silent === undefined) return holdsNot(REASONS.agentPending, 'The pool has no agent yet.');
  const reason = report.refusals.length > 0 ? REASONS.agentRefused : undefined;
  const otherwise = silent.pod === undefined ? REASONS.agentPending : REASONS.agentNotReady;
  return holdsNot(reason ?? otherwise, troubleOf(silent, inputs));
}

function answers(agents: readonly AgentFact[]): string {
  return agents.map(({ pod, serverIP }) => `Agent ${pod?.metadata.name ?? ''} answers as ${serverIP}.`).join(' ');
}

/** Agents whose roll-out would leave no agent to answer. */
function waiting({ report: { held } }: PoolInputs): string {
  return held.length === 0 ? '' : ' The others are changed when it answers.';
}

/** Why an agent does not answer, from the most specific source. */
function troubleOf({ pod, deployment, serverIP }: AgentFact, { report }: PoolInputs): string {
  const [refusal] = report.refusals;
  if (refusal !== undefined) return `${refusal.object} ${refusal.message}`;
  if (pod === undefined) {
    const failure = deployment?.status?.conditions?.find(
      ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
    );
    if (failure !== undefined)
      return `The pod of the agent for ${serverIP} cannot be made: ${failure.message ?? failure.reason ?? ''}`;
    return `The agent for ${serverIP} is being made.`;
  }
  const said = podTrouble(pod);
  const name = `Agent ${pod.metadata.name} for ${serverIP}`;
  if (pod.metadata.deletionTimestamp !== undefined) return `${name} ends.`;
  if (said !== '') return `${name} is not ready: ${said}`;
  return isPodReady(pod) ? `${name} does not know this pool's address yet.` : `${name} starts, or does not answer.`;
}
