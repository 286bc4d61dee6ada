import {
  isAlreadyExists,
  NODES,
  timestamp,
  type Clock,
  type Draft,
  type KubeClient,
  type Node,
} from '@groundcrew/controller-runtime';
import { DEFAULT_ARCHITECTURE } from './defaults.ts';
import type { VirtualMachineInstance } from './objects.ts';
import { StatusError } from './status-error.ts';

export interface NodesOptions {
  client: KubeClient;
  names: readonly string[];
  clock: Clock;
}

/** The address that all nodes have: this machine. */
const NODE_ADDRESS = '127.0.0.1';

const UNREACHABLE = 'node.kubernetes.io/unreachable';

/**
 * The nodes of instances. They have only virt-launcher pods, so that no kubelet runs these. A lost node is not ready and
 * tainted, its pods are not ready, and nothing changes on it until it recovers.
 */
export class Nodes {
  readonly #options: NodesOptions;
  readonly #lost = new Set<string>();
  readonly #listeners: (() => void)[] = [];

  constructor(options: NodesOptions) {
    this.#options = options;
  }

  /** Registers the nodes as ready. */
  async register(): Promise<void> {
    await Promise.all(this.#options.names.map((name) => this.#register(name)));
  }

  async deregister(): Promise<void> {
    await Promise.all(this.#options.names.map((name) => this.#options.client.delete(NODES, { name })));
  }

  /** Calls `listener` when a node is lost or recovers. */
  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
  }

  isReachable(name: string | undefined): boolean {
    return name !== undefined && this.#options.names.includes(name) && !this.#lost.has(name);
  }

  /** The reachable node with the least load, other than `except`. */
  choose(loadOf: (name: string) => number, except?: string): string | undefined {
    const candidates = this.#options.names.filter((name) => name !== except && !this.#lost.has(name));
    return candidates.toSorted((a, b) => loadOf(a) - loadOf(b))[0];
  }

  async lose(name: string): Promise<void> {
    this.#mustKnow(name);
    this.#lost.add(name);
    await this.#write(name);
  }

  async recover(name: string): Promise<void> {
    this.#mustKnow(name);
    this.#lost.delete(name);
    await this.#write(name);
  }

  #mustKnow(name: string): void {
    const { names } = this.#options;
    if (!names.includes(name)) throw new RangeError(`there is no node ${name}; there are: ${names.join(', ')}`);
  }

  async #register(name: string): Promise<void> {
    const node: Draft<Node> = { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} };
    try {
      await this.#options.client.create(NODES, node);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    await this.#write(name);
  }

  async #write(name: string): Promise<void> {
    const { client, clock } = this.#options;
    const lost = this.#lost.has(name);
    const timeAdded = timestamp(clock.now());
    const taints = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: UNREACHABLE, effect, timeAdded }));
    const labels = {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'node-role.kubernetes.io/worker': '',
      'kubevirt.io/schedulable': String(!lost),
    };
    await client.patch(NODES, { name }, 'merge', { metadata: { labels }, spec: { taints: lost ? taints : null } });
    await client.patch(
      NODES,
      { name },
      'merge',
      { status: statusOf(name, lost, timeAdded) },
      { subresource: 'status' },
    );
    for (const listener of this.#listeners) listener();
  }
}

function statusOf(name: string, lost: boolean, time: string): NonNullable<Node['status']> {
  const capacity = { cpu: '64', memory: '256Gi', pods: '1000', 'devices.kubevirt.io/kvm': '1k' };
  const ready = lost
    ? { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
    : { status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address: NODE_ADDRESS },
      { type: 'Hostname', address: name },
    ],
    conditions: [{ type: 'Ready', ...ready, lastHeartbeatTime: time, lastTransitionTime: time }],
    nodeInfo: {
      architecture: DEFAULT_ARCHITECTURE,
      operatingSystem: 'linux',
      osImage: 'Groundcrew sandbox',
      kubeletVersion: 'v1.34.0-groundcrew',
      kubeProxyVersion: '',
      containerRuntimeVersion: 'kubevirt://1.8.4',
      kernelVersion: '',
      bootID: '',
      machineID: '',
      systemUUID: '',
    },
  };
}

/** Address of virt-handler on each node. */
const ADDRESS = `${NODE_ADDRESS}:8186`;

/** The error of a connection to it. */
export const REFUSED = `dial tcp ${ADDRESS}: connect: connection refused`;

/** virt-api's error if virt-handler on the node does not answer. */
export function unreachable(
  verb: 'Put' | 'Get',
  { metadata: { namespace = '', name }, status }: VirtualMachineInstance,
  subresource: string,
  nodes: Pick<Nodes, 'isReachable'>,
): string | undefined {
  if (nodes.isReachable(status?.nodeName)) return undefined;
  const url = `https://${ADDRESS}/v1/namespaces/${namespace}/virtualmachineinstances/${name}/${subresource}`;
  return `${verb} "${url}": ${REFUSED}`;
}

/** @throws StatusError 500 if the instance's node does not answer */
export function assertReachable(...asked: Parameters<typeof unreachable>): void {
  const why = unreachable(...asked);
  if (why !== undefined) throw StatusError.internal(why);
}
