import { sharedAgentIndex } from '../../api/index.ts';
import {
  Controller,
  generationChanged,
  self,
  source,
  type Cache,
  type KubeObject,
  type Metrics,
  type ObjectRef,
  type Source,
} from '@groundcrew/controller-runtime';
import { agentOf } from './caches.ts';
import { agentKey } from './load-inputs.ts';
import { SharedAgentReconciler, type ReconcilerOptions } from './reconciler.ts';

export interface SharedAgentControllerOptions extends ReconcilerOptions {
  /** Name in logs and metrics. */
  name: string;
  metrics?: Metrics | undefined;
}

/** Concurrent reconciles of agents: there are few. */
const WORKERS = 2;

/** The controller of shared agents with all its sources. */
export function sharedAgentController(options: SharedAgentControllerOptions): Controller {
  const { name, caches, assignments, clock, logger, metrics } = options;
  const reconciler = new SharedAgentReconciler(options);
  const ofBmc = (bmc: ObjectRef): ObjectRef[] => assignments.agentsOf(bmc);
  const { serviceAccounts, roles, roleBindings, pods, statefulSets, disruptionBudgets, memberSecrets } = caches;
  // The mapping reads metadata only.
  const own = [
    serviceAccounts,
    roles,
    roleBindings,
    pods,
    statefulSets,
    disruptionBudgets,
    memberSecrets,
  ] as unknown as Cache<KubeObject>[];
  return new Controller({
    name,
    reconcile: async (ref) => await reconciler.reconcile(ref),
    sources: [
      assignments,
      ...own.map((cache) => source(cache, agentOf)),
      // The agents change the status often.
      source(caches.bmcs, (bmc) => self(bmc).flatMap(ofBmc), generationChanged),
      source(caches.bmcs, ({ metadata, status }) => served(metadata.namespace, status?.agent?.name), isGone),
      newTurn(options),
    ],
    workers: WORKERS,
    clock,
    logger,
    metrics,
  });
}

/** The agent of a BMC that is gone has to be removed if it was the last one. */
function served(namespace = '', name = ''): ObjectRef[] {
  return sharedAgentIndex(name) === undefined ? [] : [{ namespace, name }];
}

const isGone = ({ type }: { type: string }): boolean => type === 'deleted';

/** Enqueues the agents that the roll-out has reached. */
function newTurn({ gate, caches: { statefulSets }, assignments }: SharedAgentControllerOptions): Source {
  return {
    start: (enqueue) =>
      gate.subscribe((keys) => {
        // One without a StatefulSet has waited for the first decision.
        const agents = [...assignments.agents(), ...statefulSets.refs()];
        for (const agent of agents) if (keys?.includes(agentKey(agent)) ?? true) enqueue(agent);
      }),
  };
}
