import { onTestFinished } from 'vitest';
import {
  dhcpAgentName,
  IP_LEASES,
  IP_POOLS,
  LABELS,
  leaseName,
  NETWORK_ATTACHMENT_DEFINITIONS,
  networkLabel,
  type Condition,
  type IPLease,
  type IPPool,
  type IPPoolSpec,
  type NetworkAttachmentDefinition,
} from '../../../api/index.ts';
import { DEPLOYMENTS, EVENTS, PODS, type Deployment, type Event, type Pod } from '@groundcrew/controller-runtime';
import { eventually, type Cluster } from '../../harness/index.ts';

export const BRIDGE = { cniVersion: '0.3.1', name: 'lan', type: 'bridge', bridge: 'br0', vlan: 48 };

export interface PoolFields extends Omit<Partial<IPPoolSpec>, 'ipv4Config'> {
  namespace?: string;
  ipv4Config?: Partial<NonNullable<IPPoolSpec['ipv4Config']>>;
}

/** A namespace with a network `lan`, and the operations and checks of a user. */
export class Scene {
  readonly cluster: Cluster;
  readonly namespace: string;

  private constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  static async in(cluster: Cluster): Promise<Scene> {
    const scene = new Scene(cluster, await cluster.namespace());
    onTestFinished(() => scene.close());
    return scene;
  }

  ref(name: string) {
    return { namespace: this.namespace, name };
  }

  get network(): string {
    return `${this.namespace}/lan`;
  }

  async createNetwork(config: object | string = BRIDGE, name = 'lan'): Promise<NetworkAttachmentDefinition> {
    return await this.cluster.client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: this.ref(name),
      spec: { config: typeof config === 'string' ? config : JSON.stringify(config) },
    });
  }

  /** Creates a pool `pool` of 10.48.0.10 to 10.48.0.200 with the server 10.48.0.2 and changed fields. */
  async createPool(
    name = 'pool',
    { namespace = this.namespace, ipv4Config, ...spec }: PoolFields = {},
  ): Promise<IPPool> {
    return await this.cluster.client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: { namespace, name },
      spec: {
        networkName: this.network,
        ...spec,
        ipv4Config: {
          cidr: '10.48.0.0/24',
          serverIP: '10.48.0.2',
          pool: { start: '10.48.0.10', end: '10.48.0.200' },
          ...ipv4Config,
        },
      },
    });
  }

  async patchPool(spec: object, name = 'pool'): Promise<IPPool> {
    return await this.cluster.client.patch(IP_POOLS, this.ref(name), 'merge', { spec });
  }

  async deletePool(name = 'pool', namespace = this.namespace): Promise<void> {
    await this.cluster.client.delete(IP_POOLS, { namespace, name }, { propagationPolicy: 'Background' });
  }

  async pool(name = 'pool'): Promise<IPPool> {
    return await this.cluster.client.get(IP_POOLS, this.ref(name));
  }

  /** Creates a lease as IPAM does. */
  async createLease(ipAddress: string, macAddress: string, pool = 'pool'): Promise<IPLease> {
    const { metadata } = await this.pool(pool);
    return await this.cluster.client.create(IP_LEASES, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPLease',
      metadata: {
        ...this.ref(leaseName(pool, ipAddress)),
        labels: { [LABELS.ipPool]: pool, [LABELS.network]: networkLabel(this.network) },
        ownerReferences: [
          { apiVersion: 'network.harvesterhci.io/v1alpha1', kind: 'IPPool', name: pool, uid: metadata.uid ?? '' },
        ],
      },
      spec: { ipAddress, macAddress },
    });
  }

  async leases(): Promise<string[]> {
    const { items } = await this.cluster.client.list(IP_LEASES, { namespace: this.namespace });
    return items.map(({ metadata }) => metadata.name).toSorted();
  }

  async deployment(index = 0): Promise<Deployment> {
    return await this.cluster.client.get(DEPLOYMENTS, this.ref(dhcpAgentName('lan', index)));
  }

  async deployments(): Promise<string[]> {
    const { items } = await this.cluster.client.list(DEPLOYMENTS, { namespace: this.namespace });
    return items.map(({ metadata }) => metadata.name).toSorted();
  }

  async untilDeployments(names: readonly string[]): Promise<void> {
    await eventually(async () => {
      const there = await this.deployments();
      if (there.join() !== names.join()) throw new Error(`Deployments are ${there.join()}, not ${names.join()}`);
    });
  }

  async attachment(index = 0): Promise<NetworkAttachmentDefinition> {
    return await this.cluster.client.get(NETWORK_ATTACHMENT_DEFINITIONS, this.ref(dhcpAgentName('lan', index)));
  }

  async pods(): Promise<Pod[]> {
    const { items } = await this.cluster.client.list(PODS, { namespace: this.namespace });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Waits until a condition has that status and reason, and returns the condition. */
  async untilCondition(type: string, status: string, reason: string, name = 'pool'): Promise<Condition> {
    return await eventually(async () => {
      const condition = (await this.pool(name)).status?.conditions?.find((each) => each.type === type);
      if (condition?.reason !== reason || condition.status !== status)
        throw new Error(`${type} of ${name} is ${JSON.stringify(condition)}, not ${status} by ${reason}`);
      return condition;
    });
  }

  async untilPhase(phase: string, name = 'pool'): Promise<IPPool> {
    return await eventually(async () => {
      const pool = await this.pool(name);
      if (pool.status?.phase !== phase) throw new Error(`${name} is not ${phase}: ${JSON.stringify(pool.status)}`);
      return pool;
    });
  }

  async events(reason: string, name = 'pool'): Promise<Event[]> {
    const { items } = await this.cluster.client.list(EVENTS, { namespace: this.namespace });
    return items.filter((event) => event.reason === reason && event.involvedObject.name === name);
  }

  async untilEvent(reason: string, name = 'pool'): Promise<Event> {
    return await eventually(async () => {
      const [event] = await this.events(reason, name);
      if (event === undefined) throw new Error(`there is no Event ${reason} about ${name}`);
      return event;
    });
  }

  /** Deletes the pools, so that they do not keep the controllers of the next test busy. */
  private async close(): Promise<void> {
    const { items } = await this.cluster.client.list(IP_POOLS, { namespace: this.namespace });
    for (const { metadata } of items) await this.deletePool(metadata.name);
  }
}
