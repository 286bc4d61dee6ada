import { keyOf, type ObjectRef } from '@groundcrew/controller-runtime';
import type { AgentFact } from './decide-rollout.ts';

/** The facts of a fleet: a decision reads those of all agents, so they are computed anew only for what has changed. */
export class ChangedFacts {
  readonly #factsOf: (ref: ObjectRef) => readonly AgentFact[];
  readonly #facts = new Map<string, readonly AgentFact[]>();
  readonly #changed = new Map<string, ObjectRef>();

  /** @param factsOf of the agents of a resource; none if it is gone */
  constructor(factsOf: (ref: ObjectRef) => readonly AgentFact[]) {
    this.#factsOf = factsOf;
  }

  /** Call it when the facts of a resource may have changed. */
  changed(ref: ObjectRef): void {
    this.#changed.set(keyOf(ref), ref);
  }

  read(): AgentFact[] {
    for (const [key, ref] of this.#changed) {
      const facts = this.#factsOf(ref);
      if (facts.length === 0) this.#facts.delete(key);
      else this.#facts.set(key, facts);
    }
    this.#changed.clear();
    return [...this.#facts.values()].flat();
  }
}
