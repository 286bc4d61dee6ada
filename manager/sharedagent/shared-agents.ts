import { isDeepStrictEqual } from 'node:util';
import { keyOf, type ObjectRef, type Source } from '@groundcrew/controller-runtime';
import type { ConditionResult } from '../conditions.ts';
import type { Assignments } from './assignments.ts';

/** What a shared agent shows, for the conditions of its BMCs. */
export interface SharedAgentState {
  /** Why no pod of it serves; undefined: one does. */
  problem: ConditionResult | undefined;
  /** Why it has not the image and settings that it should; undefined: it has. */
  outdated: ConditionResult | undefined;
  /** Of the pod that acts. */
  image?: string | undefined;
  /** Address of the node of the pod that acts. */
  hostIP?: string | undefined;
}

/** The states of all shared agents. As a source it enqueues the BMCs of an agent whose state has changed. */
export class SharedAgents implements Source {
  readonly #assignments: Pick<Assignments, 'of'>;
  readonly #states = new Map<string, SharedAgentState>();
  readonly #listeners = new Set<(bmc: ObjectRef) => void>();

  constructor(assignments: Pick<Assignments, 'of'>) {
    this.#assignments = assignments;
  }

  /** Undefined: not known yet. */
  state(agent: ObjectRef): SharedAgentState | undefined {
    return this.#states.get(keyOf(agent));
  }

  /** @param state undefined: the agent is gone */
  set(agent: ObjectRef, state: SharedAgentState | undefined): void {
    if (isDeepStrictEqual(this.state(agent), state)) return;
    if (state === undefined) this.#states.delete(keyOf(agent));
    else this.#states.set(keyOf(agent), state);
    for (const { bmc } of this.#assignments.of(agent)) for (const listener of this.#listeners) listener(bmc);
  }

  start(enqueue: (bmc: ObjectRef) => void): () => void {
    this.#listeners.add(enqueue);
    return () => this.#listeners.delete(enqueue);
  }
}
