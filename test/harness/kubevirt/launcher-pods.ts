import {
  Controller,
  CachedWatch,
  isConflict,
  isNotFound,
  PODS,
  self,
  source,
  type Cache,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Pod,
  timestamp,
  type Result,
} from '@groundcrew/controller-runtime';
import {
  CREATED_BY,
  endedStatus,
  gatesAreOpen,
  hasEnded,
  isFinal,
  runningStatus,
  timesOf,
  withReady,
  type GuestTimes,
  type Nodes,
  type PodStatus,
  type VirtualMachineInstance,
} from '@groundcrew/kubevirt-simulator/node';
/** Pods of virt-controller that the simulated nodes run: for guests and for hot-plugged volumes. */
const SELECTOR = 'kubevirt.io in (virt-launcher,hotplug-disk)';
const HOTPLUG = 'hotplug-disk';

export interface LauncherPodsOptions {
  client: KubeClient;
  instances: Cache<VirtualMachineInstance>;
  nodes: Nodes;
  times: GuestTimes;
  /** Called when the pod of a guest is being deleted, with its grace period in seconds. */
  onLeaving: (ref: ObjectRef, grace: number) => void;
  clock: Clock;
  logger: Logger;
}

/** Share of a guest's boot time before the containers of its pod run; until then the instance is Scheduling. */
export const SCHEDULING_SHARE = 0.5;

/** Milliseconds between the end of a guest and the end of its pod: virt-controller sees one after the other. */
const EXIT_TIME = 300;

/** An action of the scheduler or the kubelet on a pod. */
type PodAction =
  | { type: 'bind'; node: string }
  | { type: 'status'; status: Partial<PodStatus> }
  | { type: 'remove' }
  | { type: 'wait'; retryAfter: number };

/** Simulates the scheduler and the kubelet for virt-launcher pods and hot-plug pods. No process runs in them. */
export class LauncherPods {
  readonly #options: LauncherPodsOptions;
  readonly #pods: CachedWatch<Pod>;
  readonly #controller: Controller;
  /** When pods were first seen, and first seen with an ended guest; by UID. */
  readonly #seenAt = new Map<string, number>();
  readonly #guestEndedAt = new Map<string, number>();

  constructor(options: LauncherPodsOptions) {
    this.#options = options;
    const { client, clock, logger, instances } = options;
    this.#pods = new CachedWatch({
      client,
      kind: PODS,
      labelSelector: SELECTOR,
      indexes: { node: (pod) => (hasEnded(pod) ? [] : [pod.spec?.nodeName ?? '']) },
      clock,
      logger,
    });
    this.#controller = new Controller({
      name: 'launcher-pod',
      reconcile: (ref) => this.#reconcile(ref),
      sources: [source(this.#pods, self), source(instances, (vmi) => this.#podsOf(vmi))],
      workers: 4,
      clock,
      logger,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const watching = this.#pods.run(signal);
    await this.#pods.synced();
    await Promise.all([watching, this.#controller.run(signal)]);
  }

  /** Reconciles all pods after a node has changed. */
  enqueueAll(): void {
    for (const { metadata } of this.#pods.list()) this.#controller.enqueue(metadata);
  }

  #podsOf({ metadata }: VirtualMachineInstance): ObjectRef[] {
    return this.#pods
      .list()
      .filter((pod) => pod.metadata.labels?.[CREATED_BY] === metadata.uid)
      .map((pod) => pod.metadata);
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const pod = this.#pods.get(ref);
    const action = pod === undefined ? undefined : this.#decide(pod);
    if (pod === undefined || action === undefined) return undefined;
    if (action.type === 'wait') return { requeueAfter: action.retryAfter };
    try {
      await this.#apply(pod, action);
    } catch (error) {
      // Another client wrote first; the watch delivers its change.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    return undefined;
  }

  #decide(pod: Pod): PodAction | undefined {
    const { nodes, clock } = this.#options;
    const { nodeName } = pod.spec ?? {};
    if (nodeName === undefined) {
      const node = this.#nodeFor(pod);
      if (node !== undefined) return { type: 'bind', node };
      return statusAction(unschedulableStatus(pod, clock.now()));
    }
    if (!nodes.isReachable(nodeName)) {
      return statusAction(withConditions(withReady(pod, false, clock.now())));
    }
    const vmi = this.#instanceOf(pod);
    const hasGuest = vmi !== undefined && !isFinal(vmi);
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (!hasGuest || isHotplug(pod)) return { type: 'remove' };
      // A launcher's container ends with its guest.
      this.#options.onLeaving(vmi.metadata, pod.metadata.deletionGracePeriodSeconds ?? 0);
      return undefined;
    }
    return hasEnded(pod) ? undefined : this.#whileItLasts(pod, vmi);
  }

  #whileItLasts(pod: Pod, vmi: VirtualMachineInstance | undefined): PodAction | undefined {
    const { clock } = this.#options;
    if (vmi !== undefined && isFinal(vmi) && pod.status?.phase === 'Running') {
      const retryAfter = this.#since(this.#guestEndedAt, pod) + EXIT_TIME - clock.now();
      if (retryAfter > 0) return { type: 'wait', retryAfter };
      return { type: 'status', status: endedStatus(pod, vmi.status?.phase === 'Succeeded', clock.now()) };
    }
    if (pod.status?.phase !== 'Running') {
      const retryAfter = vmi === undefined || isHotplug(pod) ? 0 : this.#untilRunning(pod, vmi);
      if (retryAfter > 0) return { type: 'wait', retryAfter };
      return { type: 'status', status: runningStatus(pod, addressOf(pod), clock.now()) };
    }
    return statusAction(withConditions(withReady(pod, gatesAreOpen(pod), clock.now())));
  }

  /** Milliseconds until the containers of a guest's pod run. */
  #untilRunning(pod: Pod, vmi: VirtualMachineInstance): number {
    const { clock, times } = this.#options;
    return this.#since(this.#seenAt, pod) + timesOf(vmi, times).bootTime * SCHEDULING_SHARE - clock.now();
  }

  #since(times: Map<string, number>, { metadata: { uid = '' } }: Pod): number {
    const time = times.get(uid) ?? this.#options.clock.now();
    times.set(uid, time);
    return time;
  }

  /** A hot-plug pod goes to the node of its launcher, and a migration target to another node than the guest. */
  #nodeFor(pod: Pod): string | undefined {
    const owner = pod.metadata.ownerReferences?.[0]?.uid;
    if (isHotplug(pod)) return this.#pods.list().find(({ metadata }) => metadata.uid === owner)?.spec?.nodeName;
    const occupied = this.#instanceOf(pod)?.status?.nodeName;
    return this.#options.nodes.choose((node) => this.#pods.byIndex('node', node).length, occupied);
  }

  #instanceOf(pod: Pod): VirtualMachineInstance | undefined {
    const uid = pod.metadata.labels?.[CREATED_BY];
    return this.#options.instances.list().find(({ metadata }) => metadata.uid === uid);
  }

  async #apply(pod: Pod, action: Exclude<PodAction, { type: 'wait' }>): Promise<void> {
    const { client } = this.#options;
    switch (action.type) {
      case 'bind':
        await bind(client, pod, action.node);
        return;
      case 'status':
        await client.patch(PODS, pod.metadata, 'merge', versioned(pod, action.status), { subresource: 'status' });
        return;
      case 'remove':
        await client.delete(PODS, pod.metadata, { uid: pod.metadata.uid ?? '', gracePeriodSeconds: 0 });
    }
  }
}

function statusAction(status: Partial<PodStatus> | undefined): PodAction | undefined {
  return status === undefined ? undefined : { type: 'status', status };
}

function withConditions(conditions: PodStatus['conditions'] | undefined): Partial<PodStatus> | undefined {
  return conditions === undefined ? undefined : { conditions };
}

async function bind(client: KubeClient, { metadata: { namespace = '', name } }: Pod, node: string): Promise<void> {
  await client.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    }),
  });
}

/** Fails with a conflict if the pod has changed since it was read: virt-controller writes conditions too. */
function versioned({ metadata }: Pod, status: Partial<PodStatus>): object {
  return { metadata: { resourceVersion: metadata.resourceVersion }, status };
}

function isHotplug(pod: Pod): boolean {
  return pod.metadata.labels?.['kubevirt.io'] === HOTPLUG;
}

/** The condition that the scheduler writes into a pod without a suitable node; undefined if it is already set. */
function unschedulableStatus(pod: Pod, now: number): Partial<PodStatus> | undefined {
  if (pod.status?.conditions?.some(({ type }) => type === 'PodScheduled') === true) return undefined;
  const message = 'no node that instances run on answers';
  const lastTransitionTime = timestamp(now);
  const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
  return { conditions: [...(pod.status?.conditions ?? []), scheduled] };
}

/** In 10.88.0.0/16, where no host answers. */
function addressOf({ metadata: { uid = '' } }: Pod): string {
  const digits = Number.parseInt(uid.slice(0, 4), 16);
  return `10.88.${digits >> 8}.${1 + ((digits & 0xff) % 254)}`;
}
