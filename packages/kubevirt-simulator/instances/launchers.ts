import {
  ApiError,
  CachedWatch,
  ownerOf,
  keyOf,
  PODS,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Pod,
} from '@groundcrew/controller-runtime';
import type { InstanceView, Step } from './index.ts';
import {
  conditionsAfter,
  CREATED_BY,
  hasEnded,
  launcherPodOf,
  LAUNCHER_SELECTOR,
  gated,
  isMarked,
  launcherOf,
  type Readiness,
} from './launcher-pod.ts';
import { isTrue } from '../kubevirt/conditions.ts';
import { endedStatus, runningStatus } from './pod-status.ts';
import type { Nodes } from '../kubevirt/nodes.ts';
import {
  isLeaving,
  VIRTUAL_MACHINE_INSTANCES,
  isFinal,
  type InterfaceStatus,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';

export interface LaunchersOptions {
  client: KubeClient;
  instances: Cache<VirtualMachineInstance>;
  events: EventRecorder;
  nodes: Nodes;
  clock: Clock;
  logger: Logger;
}

/** The virt-launcher pods of all instances, which are no processes, and their kubelet. */
export class Launchers {
  readonly cache: Cache<Pod>;
  readonly #watch: CachedWatch<Pod>;
  readonly #options: LaunchersOptions;

  constructor(options: LaunchersOptions) {
    this.#options = options;
    const { client, clock, logger } = options;
    this.#watch = new CachedWatch({
      client,
      kind: PODS,
      labelSelector: LAUNCHER_SELECTOR,
      indexes: {
        instance: ({ metadata }) => [metadata.labels?.[CREATED_BY] ?? ''],
        owner: (pod) => ownerOf(VIRTUAL_MACHINE_INSTANCES)(pod).map(keyOf),
        node: (pod) => (hasEnded(pod) ? [] : [pod.spec?.nodeName ?? '']),
      },
      clock,
      logger,
    });
    this.cache = this.#watch;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#watch.run(signal);
  }

  synced(): Promise<void> {
    return this.#watch.synced();
  }

  of(vmi: VirtualMachineInstance): readonly Pod[] {
    return this.#watch.byIndex('instance', vmi.metadata.uid ?? '?');
  }

  /** How many launchers run on a node. */
  countOn(node: string): number {
    return this.#watch.byIndex('node', node).length;
  }

  /** Creates the pod of an instance, or that of a migration of it, on a node. */
  async create(vmi: VirtualMachineInstance, node: string, migration?: string): Promise<Pod> {
    const { client, events } = this.#options;
    try {
      const pod = await client.create(PODS, launcherPodOf(vmi, node, migration));
      events.event(vmi, 'Normal', 'SuccessfulCreate', `Created virtual machine pod ${pod.metadata.name}`);
      return pod;
    } catch (error) {
      if (error instanceof ApiError) {
        events.event(vmi, 'Warning', 'FailedCreate', `Error creating pod: ${error.serverMessage}`);
      }
      throw error;
    }
  }

  async act(
    action: LauncherAction,
    vmi: VirtualMachineInstance,
    interfaces: readonly InterfaceStatus[],
  ): Promise<void> {
    const { client, clock } = this.#options;
    if (action.type === 'create') {
      await this.create(vmi, action.node);
      return;
    }
    const { pod } = action;
    const now = clock.now();
    const { uid = '' } = pod.metadata;
    switch (action.type) {
      case 'run':
        await this.#setStatus(
          pod,
          runningStatus(gated(pod, true, now), interfaces.find(({ ipAddress }) => ipAddress)?.ipAddress, now),
        );
        return;
      case 'complete':
        await this.#setStatus(pod, endedStatus(pod, action.succeeded, now));
        return;
      case 'mark':
        await this.#setStatus(pod, { conditions: conditionsAfter(pod, action, now) });
        return;
      case 'delete':
        await client.delete(PODS, pod.metadata, { uid });
        return;
      case 'remove':
        await client.delete(PODS, pod.metadata, { uid, gracePeriodSeconds: 0 });
    }
  }

  /** Removes the deleted pods of deleted instances, as a kubelet does. */
  async removeOrphans(ref: ObjectRef): Promise<void> {
    const { client, nodes, instances } = this.#options;
    const uid = instances.get(ref)?.metadata.uid;
    for (const pod of this.#watch.byIndex('owner', keyOf(ref))) {
      const orphaned = pod.metadata.labels?.[CREATED_BY] !== uid;
      if (!orphaned || !isLeaving(pod) || !nodes.isReachable(pod.spec?.nodeName)) continue;
      await client.delete(PODS, pod.metadata, { uid: pod.metadata.uid ?? '', gracePeriodSeconds: 0 });
    }
  }

  async #setStatus(pod: Pod, status: Partial<Pod['status']>): Promise<void> {
    await this.#options.client.patch(PODS, pod.metadata, 'merge', { status }, { subresource: 'status' });
  }
}

/** An action on the pods of an instance: `delete` requests the deletion, `remove` completes it as a kubelet. */
export type LauncherAction =
  | { type: 'create'; node: string }
  | { type: 'run' | 'delete' | 'remove'; pod: Pod }
  | ({ type: 'mark'; pod: Pod } & Readiness)
  | { type: 'complete'; pod: Pod; succeeded: boolean };

/** The actions of virt-controller, the kubelet and the node controller for a step of an instance. */
export function launcherActions(step: Step, view: InstanceView): LauncherAction[] {
  const actions = view.pods.flatMap((pod) => podActions(pod, step, view));
  return step.create === undefined ? actions : [...actions, { type: 'create', node: step.create }];
}

function podActions(pod: Pod, { phase }: Step, { vmi, pods, isReachable }: InstanceView): LauncherAction[] {
  const isOwn = pod === launcherOf(vmi, pods);
  const over = phase === 'Succeeded' || phase === 'Failed';
  const reachable = isReachable(pod.spec?.nodeName);
  // A node that does not answer cannot say that the launcher has ended: the pod stays until someone forces it.
  // Its own pod is removed after the instance is final: an instance without pod counts as crashed.
  if (isLeaving(pod)) return reachable && (isFinal(vmi) || !isOwn) ? [{ type: 'remove', pod }] : [];
  if (isLeaving(vmi)) return [{ type: 'delete', pod }];
  if (hasEnded(pod) || !isOwn) return [];
  if (over) return reachable ? [{ type: 'complete', pod, succeeded: phase === 'Succeeded' }] : [];
  if (phase !== 'Scheduled' && phase !== 'Running') return [];
  if (pod.status?.phase !== 'Running') return [{ type: 'run', pod }];
  const readiness = { unpaused: !isTrue(vmi.status?.conditions, 'Paused'), reachable };
  return isMarked(pod, readiness) ? [] : [{ type: 'mark', pod, ...readiness }];
}
