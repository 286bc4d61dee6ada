import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  keyOf,
  ownerOf,
  PODS,
  refOf,
  self,
  source,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Pod,
  type Result,
} from '@groundcrew/controller-runtime';
import { nameSuffix } from './pod-template.ts';
import { planReplicaSet } from './replica-set-plan.ts';
import { controllerOf, controllerReference, ownerKey, REPLICA_SETS, type ReplicaSet } from './replica-set.ts';

export interface ReplicaSetControllerOptions {
  client: KubeClient;
  replicaSets: Cache<ReplicaSet>;
  /** With an index `controller` by `controllerKey`. */
  pods: Cache<Pod>;
  events: EventRecorder;
  /** Node that pods are assigned to: there is no scheduler. */
  nodeName: string;
  clock: Clock;
  random: (size: number) => Buffer;
  logger: Logger;
}

/** Pods that are made in one go. */
const BATCH = 50;

/** Keeps the number of pods of each ReplicaSet, and takes away the pods of one that is gone. */
export class ReplicaSetController {
  readonly #options: ReplicaSetControllerOptions;
  readonly #expectations: PodExpectations;

  constructor(options: ReplicaSetControllerOptions) {
    this.#options = options;
    this.#expectations = new PodExpectations(options.clock);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { replicaSets, pods, clock, logger } = this.#options;
    const unfollow = this.#expectations.follow(pods);
    const controller = new Controller({
      name: 'replicaset',
      reconcile: (ref) => this.#reconcile(ref),
      sources: [source(replicaSets, self), source(pods, ownerOf(REPLICA_SETS))],
      workers: 2,
      clock,
      logger,
    });
    await controller.run(signal).finally(unfollow);
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const { client, replicaSets, pods, clock } = this.#options;
    const controlled = pods.byIndex('controller', ownerKey('ReplicaSet', ref.namespace, ref.name));
    const replicaSet = replicaSets.get(ref);
    // What a ReplicaSet leaves behind is for the garbage collector.
    if (replicaSet === undefined) return undefined;
    const key = keyOf(ref);
    if (!this.#expectations.met(key)) return undefined;
    const own = controlled.filter((pod) => controllerOf(pod)?.uid === replicaSet.metadata.uid);
    const plan = planReplicaSet({ replicaSet, pods: own, now: clock.now() });
    for (let made = 0; made < Math.min(plan.create, BATCH); made += 1) await this.#create(replicaSet, key);
    for (const pod of plan.remove) await this.#remove(replicaSet, pod, key);
    if (!isDeepStrictEqual({ ...replicaSet.status, ...plan.status }, replicaSet.status)) {
      await client.patch(REPLICA_SETS, ref, 'merge', { status: plan.status }, { subresource: 'status' });
    }
    return plan.retryAfter === undefined ? undefined : { requeueAfter: plan.retryAfter };
  }

  async #create(replicaSet: ReplicaSet, key: string): Promise<void> {
    const { client, nodeName, random, events } = this.#options;
    const { metadata, spec } = replicaSet;
    const template = spec?.template;
    if (template?.spec === undefined) return;
    const name = `${metadata.name}-${nameSuffix(random)}`;
    const namespace = metadata.namespace ?? '';
    this.#expectations.expect(key, { namespace, name });
    try {
      await client.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name,
          namespace,
          generateName: `${metadata.name}-`,
          labels: { ...template.metadata?.labels },
          annotations: { ...template.metadata?.annotations },
          ownerReferences: [controllerReference(replicaSet)],
        },
        spec: { ...template.spec, nodeName },
      });
    } catch (error) {
      this.#expectations.observed({ namespace, name });
      const reason = error instanceof Error ? error.message : String(error);
      events.event(replicaSet, 'Warning', 'FailedCreate', `Error creating: ${reason}`);
      throw error;
    }
    events.event(replicaSet, 'Normal', 'SuccessfulCreate', `Created pod: ${name}`);
  }

  async #remove(replicaSet: ReplicaSet, pod: Pod, key: string): Promise<void> {
    const { client, events } = this.#options;
    const { uid } = pod.metadata;
    this.#expectations.expect(key, refOf(pod));
    try {
      await client.delete(PODS, refOf(pod), uid === undefined ? {} : { uid });
    } catch (error) {
      this.#expectations.observed(refOf(pod));
      throw error;
    }
    events.event(replicaSet, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  }
}

/** Milliseconds after which a change that never showed up is no longer waited for. */
const EXPIRY = 30_000;

/**
 * Pods that were made or removed and that the watch has not shown so yet: until it has, counting them would make or
 * remove too many. A pod is expected before the request is sent: its echo may be the faster one.
 */
class PodExpectations {
  readonly #clock: Clock;
  /** By the pod's key: for whom, and since when. */
  readonly #pending = new Map<string, { owner: string; since: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expect(owner: string, pod: ObjectRef): void {
    this.#pending.set(keyOf(pod), { owner, since: this.#clock.now() });
  }

  observed(pod: ObjectRef): void {
    this.#pending.delete(keyOf(pod));
  }

  /** Whether nothing is waited for any more. */
  met(owner: string): boolean {
    const now = this.#clock.now();
    for (const [key, entry] of this.#pending) if (now - entry.since > EXPIRY) this.#pending.delete(key);
    return ![...this.#pending.values()].some((entry) => entry.owner === owner);
  }

  /** Takes note of what the watch shows. Call the result to stop. */
  follow(pods: Cache<Pod>): () => void {
    return pods.subscribe(({ type, object }) => {
      if (type !== 'modified' || object.metadata.deletionTimestamp !== undefined) this.observed(object.metadata);
    });
  }
}
