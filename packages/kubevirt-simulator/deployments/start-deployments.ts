import {
  CachedWatch,
  DEPLOYMENTS,
  EventRecorder,
  PODS,
  STATEFUL_SETS,
  type Clock,
  type KubeClient,
  type Logger,
} from '@groundcrew/controller-runtime';
import { DeploymentController } from './deployment-controller.ts';
import { ReplicaSetController } from './replica-set-controller.ts';
import { controllerKey, REPLICA_SETS } from './replica-set.ts';
import { StatefulSetController } from './stateful-set-controller.ts';

export interface DeploymentsOptions {
  /** A client with all permissions. */
  client: KubeClient;
  clock: Clock;
  random: (size: number) => Buffer;
  logger: Logger;
  /** Node of all pods. Default `sandbox`. */
  nodeName?: string;
}

/** Starts the controllers of Deployments, ReplicaSets and StatefulSets; pods get their node here too. Resolves when they watch. */
export async function startDeployments(options: DeploymentsOptions): Promise<{ close(): Promise<void> }> {
  const { client, clock, random, logger, nodeName = 'sandbox' } = options;
  const stop = new AbortController();
  const indexes = { controller: controllerKey };
  const deployments = new CachedWatch({ client, kind: DEPLOYMENTS, clock, logger });
  const replicaSets = new CachedWatch({ client, kind: REPLICA_SETS, indexes, clock, logger });
  const statefulSets = new CachedWatch({ client, kind: STATEFUL_SETS, clock, logger });
  const pods = new CachedWatch({ client, kind: PODS, indexes, clock, logger });
  const events = new EventRecorder({ client, component: 'deployment-controller', clock, logger });
  const setEvents = new EventRecorder({ client, component: 'statefulset-controller', clock, logger });
  const caches = [deployments, replicaSets, statefulSets, pods];
  const running = caches.map((cache) => cache.run(stop.signal));
  await Promise.all(caches.map((cache) => cache.synced()));
  const shared = { client, replicaSets, pods, events, clock, logger };
  running.push(
    new ReplicaSetController({ ...shared, nodeName, random }).run(stop.signal),
    new DeploymentController({ ...shared, deployments }).run(stop.signal),
    new StatefulSetController({ ...shared, statefulSets, nodeName, events: setEvents }).run(stop.signal),
  );
  return {
    async close() {
      stop.abort();
      await Promise.allSettled(running);
      await Promise.all([events.flush(), setEvents.flush()]);
    },
  };
}
