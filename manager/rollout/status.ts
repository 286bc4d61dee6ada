import { AGENT_ROLLOUT_CONDITIONS, type AgentRollout, type AgentRolloutStatus } from '../../api/index.ts';
import { conditionsOf, holds, holdsNot, type ConditionResult } from '../conditions.ts';
import type { AgentFact, Decision, Policy } from './decide-rollout.ts';
import type { Revision } from './gate.ts';
import { writeRevisions } from './revisions.ts';

export interface StatusInputs {
  rollout: AgentRollout;
  agents: readonly AgentFact[];
  decision: Decision;
  policy: Policy;
  target: Revision;
  /** The last complete revision before this decision. */
  completed: string | undefined;
  /** The revision that the installation asks for. */
  configured: string;
  /** All that are in use, the most important first. */
  revisions: readonly Revision[];
}

const SHOWN_FAILURES = 10;

/** The complete status: an apply removes the fields that it leaves out. */
export function statusOf(inputs: StatusInputs, now: number): AgentRolloutStatus {
  const { rollout, agents, decision, policy, target, completed, revisions } = inputs;
  const { metadata, status: before } = rollout;
  const { phase, wave, updated, held, failures, late } = decision;
  const shown = [...failures, ...late].slice(0, SHOWN_FAILURES);
  // Why it was stopped stays to be seen, also if the agent has become ready since.
  const past = phase === 'Stopped' && shown.length === 0 ? (before?.failures ?? []) : [];
  const told = shown.length > 0 ? shown.map((each) => ({ ...each, message: each.message.slice(0, 1024) })) : past;
  const completedRevision = phase === 'Complete' ? target.name : completed;
  const observedGeneration = metadata.generation ?? 0;
  return {
    observedGeneration,
    phase,
    revision: target.name,
    ...(completedRevision === undefined ? {} : { completedRevision }),
    attempt: policy.attempt,
    wave,
    total: agents.length,
    updated,
    ready: agents.filter(({ isReady }) => isReady).length,
    held,
    failing: failures.length,
    reason: told[0]?.reason ?? phase,
    ...(told.length === 0 ? {} : { failures: told }),
    revisions: writeRevisions(revisions),
    conditions: conditionsOf(
      { [AGENT_ROLLOUT_CONDITIONS.complete]: complete(inputs, told) },
      before?.conditions,
      observedGeneration,
      now,
    ),
  };
}

function complete(
  { rollout, agents, decision, policy, target, configured, completed }: StatusInputs,
  failures: NonNullable<AgentRolloutStatus['failures']>,
): ConditionResult {
  const { phase, updated, held, wave } = decision;
  const count = `${updated} of ${agents.length} agents have revision ${target.name}`;
  const isHeld = held === 0 ? '' : ` ${held} are held by an annotation or cannot be changed now.`;
  const back = target.name === configured ? '' : ` It replaces revision ${configured}: spec.rollBack.`;
  const [first] = failures;
  const who =
    first === undefined
      ? ''
      : ` ${first.kind === 'shared' ? 'StatefulSet' : 'Deployment'} ${first.namespace}/${first.name}: ${first.reason}. ${first.message}`;
  switch (phase) {
    case 'Complete':
      return holds(phase, `${count}.${isHeld}${back}`);
    case 'Stopped':
      return holdsNot(
        phase,
        `Stopped: ${count}.${who} ${whatToDo({ rollout, policy, target, configured, completed })}`,
      );
    case 'Paused':
      return holdsNot(phase, `Paused: ${count}. To go on, remove spec.paused.${isHeld}${back}`);
    case 'Canary':
      return holdsNot(
        phase,
        `${count}. Wave ${wave} is one agent; the others wait until it is ready.${isHeld}${back}${who}`,
      );
    case 'Updating':
      return holdsNot(phase, `${count}. Wave ${wave}.${isHeld}${back}${who}`);
  }
}

function whatToDo({
  rollout: { metadata },
  policy,
  target,
  configured,
  completed,
}: Pick<StatusInputs, 'rollout' | 'policy' | 'target' | 'configured' | 'completed'>): string {
  const patch = (spec: object): string =>
    `kubectl -n ${metadata.namespace ?? ''} patch agentrollout ${metadata.name} --type=merge -p '${JSON.stringify({ spec })}'`;
  const goOn = `Correct the image or setting in the chart's values. To go on with this revision: ${patch({ attempt: policy.attempt + 1 })}`;
  const isBackPossible = completed !== undefined && target.name === configured && completed !== configured;
  return isBackPossible ? `${goOn} To go back to revision ${completed}: ${patch({ rollBack: configured })}` : goOn;
}
