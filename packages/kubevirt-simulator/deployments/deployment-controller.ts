import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  DEPLOYMENTS,
  isAlreadyExists,
  ownerOf,
  refOf,
  self,
  source,
  type Cache,
  type Clock,
  type Deployment,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Pod,
} from '@groundcrew/controller-runtime';
import { isCurrent, planDeployment, type DeploymentPlan } from './deployment-plan.ts';
import { controllerOf, ownerKey, REPLICA_SETS, type ReplicaSet } from './replica-set.ts';

export interface DeploymentControllerOptions {
  client: KubeClient;
  deployments: Cache<Deployment>;
  /** With an index `controller` by `controllerKey`, like the pods. */
  replicaSets: Cache<ReplicaSet>;
  pods: Cache<Pod>;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
}

/** Rolls Deployments out. The garbage collector deletes the ReplicaSets of a deleted Deployment. */
export class DeploymentController {
  readonly #options: DeploymentControllerOptions;

  constructor(options: DeploymentControllerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { deployments, replicaSets, pods, clock, logger } = this.#options;
    const controller = new Controller({
      name: 'deployment',
      reconcile: (ref) => this.#reconcile(ref),
      sources: [
        source(deployments, self),
        source(replicaSets, ownerOf(DEPLOYMENTS)),
        // Recreate continues when the last old pod is gone.
        source(
          pods,
          (pod) => this.#deploymentOf(pod),
          ({ type }) => type === 'deleted',
        ),
      ],
      workers: 2,
      clock,
      logger,
    });
    await controller.run(signal);
  }

  #deploymentOf(pod: Pod): ObjectRef[] {
    const owner = controllerOf(pod);
    const { namespace } = pod.metadata;
    if (owner === undefined || namespace === undefined) return [];
    const replicaSet = this.#options.replicaSets.get({ namespace, name: owner.name });
    return replicaSet === undefined ? [] : ownerOf(DEPLOYMENTS)(replicaSet);
  }

  async #reconcile(ref: ObjectRef): Promise<void> {
    const { deployments, replicaSets, clock } = this.#options;
    const controlled = replicaSets.byIndex('controller', ownerKey('Deployment', ref.namespace, ref.name));
    const deployment = deployments.get(ref);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    const own = controlled.filter((replicaSet) => controllerOf(replicaSet)?.uid === deployment.metadata.uid);
    const plan = planDeployment({
      deployment,
      replicaSets: own,
      oldPodsRun: this.#oldPodsRun(deployment, own),
      now: clock.now(),
    });
    await this.#apply(deployment, plan, own);
  }

  #oldPodsRun(deployment: Deployment, replicaSets: readonly ReplicaSet[]): boolean {
    return replicaSets
      .filter((replicaSet) => !isCurrent(replicaSet, deployment))
      .map(({ metadata }) => ownerKey('ReplicaSet', metadata.namespace, metadata.name))
      .some((key) => this.#options.pods.byIndex('controller', key).length > 0);
  }

  async #apply(deployment: Deployment, plan: DeploymentPlan, replicaSets: readonly ReplicaSet[]): Promise<void> {
    const { client, events } = this.#options;
    const ref = refOf(deployment);
    if (plan.create !== undefined) {
      await client.create(REPLICA_SETS, plan.create).catch((error: unknown) => {
        // The watch has not shown it yet.
        if (!isAlreadyExists(error)) throw error;
      });
      const message = `Scaled up replica set ${plan.create.metadata.name ?? ''} from 0 to ${plan.create.spec?.replicas ?? 0}`;
      events.event(deployment, 'Normal', 'ScalingReplicaSet', message);
    }
    for (const [name, replicas] of plan.scale) await this.#scale(deployment, replicaSets, name, replicas);
    for (const replicaSet of plan.prune) await client.delete(REPLICA_SETS, refOf(replicaSet));
    if (!isDeepStrictEqual({ ...deployment.status, ...plan.status }, deployment.status)) {
      await client.patch(DEPLOYMENTS, ref, 'merge', { status: plan.status }, { subresource: 'status' });
    }
  }

  async #scale(
    deployment: Deployment,
    replicaSets: readonly ReplicaSet[],
    name: string,
    replicas: number,
  ): Promise<void> {
    const { client, events } = this.#options;
    const replicaSet = replicaSets.find(({ metadata }) => metadata.name === name);
    if (replicaSet === undefined) return;
    const before = replicaSet.spec?.replicas ?? 0;
    const { resourceVersion } = replicaSet.metadata;
    await client.patch(REPLICA_SETS, refOf(replicaSet), 'merge', { metadata: { resourceVersion }, spec: { replicas } });
    const direction = replicas > before ? 'up' : 'down';
    const message = `Scaled ${direction} replica set ${name} from ${before} to ${replicas}`;
    events.event(deployment, 'Normal', 'ScalingReplicaSet', message);
  }
}
