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
} from '@groundcrew/controller-runtime';
import {
  controllerOf,
  controllerReference,
  ownerKey,
  planReplicaSet,
  REPLICA_SETS,
  type ReplicaSet,
} from './replica-set.ts';

export interface ReplicaSetControllerOptions {
  client: KubeClient;
  replicaSets: Cache<ReplicaSet>;
  /** With an index `controller` by `controllerKey`. */
  pods: Cache<Pod>;
  events: EventRecorder;
  /** Node of all pods; there is no scheduler. */
  nodeName: string;
  clock: Clock;
  random: (size: number) => Buffer;
  logger: Logger;
}

/** Most pods that are created in one step. */
const BATCH = 50;

/** Creates and deletes the pods of ReplicaSets. The garbage collector deletes the pods of a deleted ReplicaSet. */
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

  async #reconcile(ref: ObjectRef): Promise<void> {
    const { client, replicaSets, pods } = this.#options;
    const controlled = pods.byIndex('controller', ownerKey('ReplicaSet', ref.namespace, ref.name));
    const replicaSet = replicaSets.get(ref);
    const key = keyOf(ref);
    if (replicaSet === undefined || !this.#expectations.met(key)) return;
    const own = controlled.filter((pod) => controllerOf(pod)?.uid === replicaSet.metadata.uid);
    const plan = planReplicaSet(replicaSet, own);
    for (let made = 0; made < Math.min(plan.create, BATCH); made += 1) await this.#create(replicaSet, key);
    for (const pod of plan.remove) await this.#remove(replicaSet, pod, key);
    if (!isDeepStrictEqual({ ...replicaSet.status, ...plan.status }, replicaSet.status)) {
      await client.patch(REPLICA_SETS, ref, 'merge', { status: plan.status }, { subresource: 'status' });
    }
  }

  async #create(replicaSet: ReplicaSet, key: string): Promise<void> {
    const { client, nodeName, random, events } = this.#options;
    const { metadata, spec } = replicaSet;
    const template = spec?.template;
    if (template?.spec === undefined) return;
    const name = `${metadata.name}-${random(3).toString('hex').slice(1)}`;
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

/** Milliseconds until a change that the watch has not shown is forgotten. */
const EXPIRY = 30_000;

/**
 * Created and deleted pods that the watch has not shown yet: until then their ReplicaSet would create or delete too
 * many. The entry is made before the request, because the watch may be faster than the answer.
 */
class PodExpectations {
  readonly #clock: Clock;
  /** Owner and time by the pod's key. */
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

  /** Whether the watch has shown all changes. */
  met(owner: string): boolean {
    const now = this.#clock.now();
    for (const [key, entry] of this.#pending) if (now - entry.since > EXPIRY) this.#pending.delete(key);
    return ![...this.#pending.values()].some((entry) => entry.owner === owner);
  }

  /** Follows the watch until the result is called. */
  follow(pods: Cache<Pod>): () => void {
    return pods.subscribe(({ type, object }) => {
      if (type !== 'modified' || object.metadata.deletionTimestamp !== undefined) this.observed(object.metadata);
    });
  }
}
