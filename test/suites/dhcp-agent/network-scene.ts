import {
  formatIpv4,
  IP_LEASES,
  IP_POOLS,
  LABELS,
  leaseName,
  networkLabel,
  type IPLease,
  type IPLeaseSpec,
  type IPPool,
  type IPPoolSpec,
} from '../../../api/index.ts';
import { EVENTS, type KubeClient } from '@groundcrew/controller-runtime';
import type { Cluster } from '../../harness/index.ts';

type Ipv4Config = NonNullable<IPPoolSpec['ipv4Config']>;

/** A network in a namespace with the pool `prod`, as the manager and a user create them. */
export class NetworkScene {
  readonly namespace: string;
  /** `namespace/name` of the net-attach-def. */
  readonly network: string;
  readonly #client: KubeClient;

  private constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
    this.network = `${namespace}/vlan10`;
  }

  /** A network in a new namespace. */
  static async in(cluster: Cluster): Promise<NetworkScene> {
    return new NetworkScene(cluster.client, await cluster.namespace());
  }

  async createPool(config: Partial<Ipv4Config> = {}, name = 'prod', paused = false): Promise<IPPool> {
    return await this.#client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: { namespace: this.namespace, name },
      spec: {
        networkName: this.network,
        paused,
        ipv4Config: {
          cidr: '10.9.0.0/16',
          serverIP: '10.9.0.2',
          serverIPs: ['10.9.0.2', '10.9.0.3'],
          router: '10.9.0.1',
          dns: ['10.9.0.53'],
          leaseTime: 3600,
          pool: { start: '10.9.1.0', end: '10.9.255.250' },
          ...config,
        },
      },
    });
  }

  async editPool(spec: Partial<Omit<IPPoolSpec, 'ipv4Config'>> & { ipv4Config?: Partial<Ipv4Config> }): Promise<void> {
    await this.#client.patch(IP_POOLS, { namespace: this.namespace, name: 'prod' }, 'merge', { spec });
  }

  /** Leases `10.9.1.<index>` to `02:00:00:00:00:<index>` by default. */
  async createLease(index: number, spec: Partial<IPLeaseSpec> = {}): Promise<IPLease> {
    const ipAddress = addressText(index);
    return await this.#client.create(IP_LEASES, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPLease',
      metadata: {
        namespace: this.namespace,
        name: leaseName('prod', ipAddress),
        labels: { [LABELS.ipPool]: 'prod', [LABELS.network]: networkLabel(this.network) },
      },
      spec: { ipAddress, macAddress: macText(index), ...spec },
    });
  }

  async lease(index: number): Promise<IPLease> {
    return await this.#client.get(IP_LEASES, this.#refOf(index));
  }

  async deleteLease(index: number): Promise<void> {
    await this.#client.delete(IP_LEASES, this.#refOf(index));
  }

  async releaseLease(index: number): Promise<void> {
    const metadata = { labels: { [LABELS.released]: 'true' } };
    await this.#client.patch(IP_LEASES, this.#refOf(index), 'merge', { metadata });
  }

  /** Reasons of all Events, or of those about one object. */
  async eventReasons(name?: string): Promise<string[]> {
    const { items } = await this.#client.list(EVENTS, { namespace: this.namespace });
    const told = items.filter(({ involvedObject }) => name === undefined || involvedObject.name === name);
    return told.map(({ reason }) => reason ?? '');
  }

  #refOf(index: number): { namespace: string; name: string } {
    return { namespace: this.namespace, name: leaseName('prod', addressText(index)) };
  }
}

export function addressText(index: number): string {
  return formatIpv4(0x0a090100 + index);
}

export function macText(index: number): string {
  return `02:00:00:00:${(index >>> 8).toString(16).padStart(2, '0')}:${(index & 255).toString(16).padStart(2, '0')}`;
}
