import { unlessGone, type KubeClient, type Logger, type ObjectRef, type Result } from '@groundcrew/controller-runtime';
import { ChildWriter } from '../../agent-workload/index.ts';
import { networkRef } from '../../networks/index.ts';
import { CHILD_KINDS } from './children/children.ts';
import { loadInputs, type Refusal, type NetworkSources } from './inputs.ts';
import { planOf, type Plan } from './plan.ts';
import type { NetworkReports } from './reports.ts';

export interface NetworkReconcilerOptions extends NetworkSources {
  reports: NetworkReports;
  logger: Logger;
}

/** Milliseconds until the next check of problems that no watch reports, and of agents that are not Ready. */
const LOOK_AGAIN = 15_000;

/** Creates and updates the agents of each network: reads, evaluates, writes. */
export class NetworkReconciler {
  readonly #options: NetworkReconcilerOptions;

  constructor(options: NetworkReconcilerOptions) {
    this.#options = options;
  }

  /** @param ref of a net-attach-def, which need not exist */
  async reconcile({ namespace = '', name }: ObjectRef): Promise<Result | undefined> {
    const network = networkRef(`${namespace}/${name}`);
    const inputs = await loadInputs(network, this.#options);
    const plan = planOf(inputs);
    return await unlessGone(async () => {
      const refusals = [...plan.blocked, ...(await apply(plan, this.#options.client))];
      this.#log(`${namespace}/${name}`, plan);
      this.#options.reports.write(network, { refusals, held: plan.held });
      return refusals.length > 0 || plan.held.length > 0 ? { requeueAfter: LOOK_AGAIN } : undefined;
    });
  }

  #log(network: string, { remove, apply: applied, held }: Plan): void {
    if (remove.length === 0 && applied.length === 0) return;
    const fields = {
      network,
      removed: remove.map(({ child, object }) => `${child} ${object.metadata.name}`),
      applied: applied.map(({ child, draft }) => `${child} ${draft.metadata.name ?? ''}`),
      held,
    };
    this.#options.logger.info(fields, 'wrote the agents of a network');
  }
}

/** @returns the permanent rejections of the API server */
async function apply(plan: Plan, client: KubeClient): Promise<Refusal[]> {
  const writer = new ChildWriter(client, CHILD_KINDS);
  await writer.remove(plan.remove);
  await writer.apply(plan.apply);
  return writer.rejections.map(({ kind, metadata, message }) => ({
    object: `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
    message: `is refused by the API server: ${message}`,
  }));
}
