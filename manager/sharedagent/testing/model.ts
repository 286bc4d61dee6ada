import { LABELS, sharedAgentPorts } from '../../../api/index.ts';
import type { Change, Listener, Service } from '@groundcrew/controller-runtime';
import { actingSelector, type Assignment } from '../assignment.ts';

/** The Services of BMCs, as a cache has them: it may be behind what was written. */
export class Services {
  readonly #listeners = new Set<Listener<Service>>();
  readonly #stored = new Map<string, Service>();
  readonly #late: Change<Service>[] = [];

  subscribe(listener: Listener<Service>): () => void {
    this.#listeners.add(listener);
    for (const object of this.#stored.values()) listener({ type: 'added', object });
    return () => this.#listeners.delete(listener);
  }

  /** Stores a BMC's Service. The cache hears of it with `hear`. */
  write(bmc: string, assignment: Assignment | undefined): void {
    const object = aService(bmc, assignment);
    const previous = this.#stored.get(bmc);
    this.#stored.set(bmc, object);
    this.#late.push(previous === undefined ? { type: 'added', object } : { type: 'modified', object, previous });
  }

  delete(bmc: string): void {
    const object = this.#stored.get(bmc);
    this.#stored.delete(bmc);
    if (object !== undefined) this.#late.push({ type: 'deleted', object });
  }

  hear(): void {
    for (const change of this.#late.splice(0)) for (const listener of this.#listeners) listener(change);
  }

  /** A new process reads what is stored. */
  restart(): void {
    this.#late.length = 0;
    this.#listeners.clear();
  }
}

/** The Service of a BMC `<name>` in the namespace `vms`; without an assignment that of an agent of its own. */
export function aService(bmc: string, assignment: Assignment | undefined): Service {
  const shared = assignment === undefined ? undefined : sharedAgentPorts(assignment.slot);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `${bmc}-virtbmc`, namespace: 'vms', labels: { [LABELS.bmc]: bmc } },
    spec: {
      selector: assignment === undefined ? { [LABELS.bmc]: bmc } : actingSelector(assignment.agent),
      ports: [{ name: 'ipmi', port: 623, targetPort: shared?.ipmi ?? 10_623 }],
    },
  };
}
