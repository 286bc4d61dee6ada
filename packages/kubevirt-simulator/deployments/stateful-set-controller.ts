import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  isAlreadyExists,
  ownerOf,
  PODS,
  refOf,
  self,
  source,
  STATEFUL_SETS,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Pod,
  type StatefulSet,
} from '@groundcrew/controller-runtime';
import { controllerOf, controllerReference, ownerKey } from './replica-set.ts';
import { identityLabels, planStatefulSet, podName } from './stateful-set.ts';

export interface StatefulSetControllerOptions {
  client: KubeClient;
  statefulSets: Cache<StatefulSet>;
  /** With an index `controller` by `controllerKey`. */
  pods: Cache<Pod>;
  events: EventRecorder;
  /** Node of all pods; there is no scheduler. */
  nodeName: string;
  clock: Clock;
  logger: Logger;
}

/** Creates, replaces and deletes the pods of StatefulSets. The garbage collector deletes the pods of a deleted one. */
export class StatefulSetController {
  readonly #options: StatefulSetControllerOptions;

  constructor(options: StatefulSetControllerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { statefulSets, pods, clock, logger } = this.#options;
    const controller = new Controller({
      name: 'statefulset',
      reconcile: (ref) => this.#reconcile(ref),
      sources: [source(statefulSets, self), source(pods, ownerOf(STATEFUL_SETS))],
      clock,
      logger,
    });
    await controller.run(signal);
  }

  async #reconcile(ref: ObjectRef): Promise<void> {
    const { client, statefulSets, pods } = this.#options;
    const set = statefulSets.get(ref);
    if (set === undefined) return;
    const own = pods
      .byIndex('controller', ownerKey('StatefulSet', ref.namespace, ref.name))
      .filter((pod) => controllerOf(pod)?.uid === set.metadata.uid);
    const plan = planStatefulSet(set, own);
    for (const ordinal of plan.create) await this.#create(set, ordinal);
    for (const pod of plan.remove) await this.#remove(set, pod);
    if (!isDeepStrictEqual({ ...set.status, ...plan.status }, set.status)) {
      await client.patch(STATEFUL_SETS, ref, 'merge', { status: plan.status }, { subresource: 'status' });
    }
  }

  async #create(set: StatefulSet, ordinal: number): Promise<void> {
    const { client, nodeName, events } = this.#options;
    const { metadata, spec } = set;
    const template = spec?.template;
    if (template?.spec === undefined) return;
    const name = podName(set, ordinal);
    try {
      await client.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name,
          namespace: metadata.namespace ?? '',
          labels: { ...template.metadata?.labels, ...identityLabels(set, ordinal) },
          annotations: { ...template.metadata?.annotations },
          ownerReferences: [controllerReference(set)],
        },
        spec: { ...template.spec, hostname: name, nodeName },
      });
    } catch (error) {
      // The watch has not shown it yet.
      if (isAlreadyExists(error)) return;
      const reason = error instanceof Error ? error.message : String(error);
      events.event(
        set,
        'Warning',
        'FailedCreate',
        `create Pod ${name} in StatefulSet ${metadata.name} failed: ${reason}`,
      );
      throw error;
    }
    events.event(set, 'Normal', 'SuccessfulCreate', `create Pod ${name} in StatefulSet ${metadata.name} successful`);
  }

  async #remove(set: StatefulSet, pod: Pod): Promise<void> {
    const { client, events } = this.#options;
    const { name, uid } = pod.metadata;
    await client.delete(PODS, refOf(pod), uid === undefined ? {} : { uid });
    events.event(
      set,
      'Normal',
      'SuccessfulDelete',
      `delete Pod ${name} in StatefulSet ${set.metadata.name} successful`,
    );
  }
}
