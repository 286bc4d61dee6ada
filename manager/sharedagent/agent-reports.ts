import { keyOf, type EventRecorder, type ObjectRef } from '@groundcrew/controller-runtime';
import type { ConditionResult } from '../conditions.ts';
import { actingPod, sharedAgentState } from './agent-status.ts';
import type { Inputs } from './load-inputs.ts';
import type { SharedAgents } from './shared-agents.ts';

/** Milliseconds that the agent may be without an acting pod before its BMCs say so: one pod takes over from the other. */
const TAKE_OVER = 20_000;
/** Milliseconds until the next check of problems that no watch reports. */
export const LOOK_AGAIN = 15_000;

type Seen = Pick<Inputs, 'agent' | 'statefulSet' | 'pods' | 'turn'>;

/** Tells the BMCs of shared agents, and users by Events of the StatefulSets, what the agents show. */
export class AgentReports {
  readonly #agents: Pick<SharedAgents, 'state' | 'set'>;
  readonly #events: Pick<EventRecorder, 'event'>;
  /** Of each agent. `idleSince`: monotonic ms; `acting`: the pod that acted last, undefined since the start of the manager. */
  readonly #seen = new Map<string, { idleSince: number | undefined; acting: string | undefined }>();

  constructor({
    agents,
    events,
  }: {
    agents: Pick<SharedAgents, 'state' | 'set'>;
    events: Pick<EventRecorder, 'event'>;
  }) {
    this.#agents = agents;
    this.#events = events;
  }

  /**
   * @param blocked what keeps the agent's objects from being as they should
   * @param now monotonic ms
   * @returns milliseconds until what it shows is to be looked at again
   */
  publish(inputs: Seen, blocked: ConditionResult | undefined, now: number): number | undefined {
    const { agent, pods } = inputs;
    const before = this.#agents.state(agent);
    const acting = actingPod(pods)?.metadata.name;
    const idleSince = this.#see(inputs, acting, now);
    const state = sharedAgentState(inputs);
    const grace = (idleSince ?? -Infinity) + TAKE_OVER - now;
    // A short take-over, or a new agent: its BMCs keep their conditions.
    if (blocked === undefined && acting === undefined && before?.problem === undefined && grace > 0) return grace;
    const problem = blocked ?? state.problem;
    this.#agents.set(agent, { ...state, problem });
    if (before?.problem?.message !== problem?.message) this.#announce(inputs, problem, before?.problem);
    return acting !== undefined && blocked === undefined ? undefined : LOOK_AGAIN;
  }

  /** @returns since when no pod acts */
  #see(inputs: Seen, acting: string | undefined, now: number): number | undefined {
    const seen = this.#seen.get(keyOf(inputs.agent));
    const idleSince = acting === undefined ? (seen?.idleSince ?? now) : undefined;
    this.#seen.set(keyOf(inputs.agent), { idleSince, acting: acting ?? seen?.acting });
    this.#tellTakeOver(inputs, acting, seen?.acting);
    return idleSince;
  }

  /** The agent is gone. */
  forget(agent: ObjectRef): void {
    this.#agents.set(agent, undefined);
    this.#seen.delete(keyOf(agent));
  }

  #tellTakeOver({ agent, statefulSet }: Seen, acting: string | undefined, before: string | undefined): void {
    if (acting === undefined || acting === before || before === undefined || statefulSet === undefined) return;
    const message = `Pod ${acting} of shared agent ${agent.name} has taken over: the Services of its BMCs lead to it.`;
    this.#events.event(statefulSet, 'Normal', 'TookOver', message);
  }

  #announce({ agent, statefulSet }: Seen, now: ConditionResult | undefined, before: ConditionResult | undefined): void {
    if (statefulSet === undefined) return;
    if (now !== undefined) this.#events.event(statefulSet, 'Warning', now.reason, now.message);
    else if (before !== undefined)
      this.#events.event(statefulSet, 'Normal', 'AgentReady', `A pod of shared agent ${agent.name} acts again.`);
  }
}
