import {
  IP_LEASES,
  IP_POOLS,
  LABELS,
  networkLabel,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type Condition,
  type IPLease,
  type IPLeaseSpec,
  type IPPool,
  type IPPoolSpec,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigSpec,
} from '../../../api/index.ts';
import {
  collectionPath,
  EVENTS,
  unlessGone,
  type Event,
  type Kind,
  type KubeClient,
  type KubeObject,
  type ObjectList,
  type Transport,
} from '@groundcrew/controller-runtime';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { eventually, type Cluster } from '../../harness/index.ts';
import { grantRole, serviceAccountToken } from '../../harness/service-accounts.ts';
import { FaultyTransport } from '../../harness/faulty-transport.ts';
import { uninstallKind } from '../../harness/uninstall-kind.ts';
import { TestManager, type TestManagerOptions } from './test-manager.ts';

/** Number of parallel requests when thousands of objects are created. */
const AT_ONCE = 25;

type Ipv4Config = NonNullable<IPPoolSpec['ipv4Config']>;
type Interface = NonNullable<VirtualMachineNetworkConfigSpec['networkConfigs']>[number];

export interface PoolFields extends Partial<Omit<Ipv4Config, 'pool'>> {
  /** Default `prod`. */
  network?: string;
  start?: string;
  end?: string;
  exclude?: string[];
}

/** A namespace with pools, configs and managers, and the operations and checks of a user. */
export class Scene {
  readonly namespace: string;
  readonly #cluster: Cluster;
  readonly #token: string;
  readonly #managers: TestManager[] = [];

  private constructor(cluster: Cluster, namespace: string, token: string) {
    this.#cluster = cluster;
    this.namespace = namespace;
    this.#token = token;
  }

  /** Without KubeVirt a config needs no VM: these suites test leases alone, and tenancy.suite.ts tests claims of VMs. */
  static async in(cluster: Cluster): Promise<Scene> {
    await uninstallKind(cluster.client, VIRTUAL_MACHINES);
    await uninstallKind(cluster.client, VIRTUAL_MACHINE_INSTANCES);
    const namespace = await cluster.namespace();
    const account = { namespace, name: 'manager' };
    await grantRole(cluster.client, account, RULES);
    return new Scene(cluster, namespace, await serviceAccountToken(cluster.client, account));
  }

  get client(): KubeClient {
    return this.#cluster.client;
  }

  ref(name: string) {
    return { namespace: this.namespace, name };
  }

  /** A connection to the server with the manager's permissions in this namespace. */
  link(): FaultyTransport {
    const { server, ca } = this.#cluster;
    const inner: Transport = undiciTransport({ server, ca, token: this.#token });
    return new FaultyTransport(inner);
  }

  /** Starts a manager; several may run at the same time. */
  manager(options: Omit<TestManagerOptions, 'namespace'> & { transport?: FaultyTransport } = {}): TestManager {
    const { transport = this.link(), ...rest } = options;
    const manager = new TestManager(transport, { namespace: this.namespace, ...rest });
    this.#managers.push(manager);
    return manager;
  }

  /** Stops the managers and removes finalizers that would block the deletion of the namespace: the server is shared. */
  async close(): Promise<void> {
    for (const manager of this.#managers) await manager.close();
    const names = (await this.configs()).map(({ metadata }) => metadata.name);
    for (let from = 0; from < names.length; from += AT_ONCE)
      await Promise.all(names.slice(from, from + AT_ONCE).map((name) => this.#abandon(name)));
    for (const kind of [IP_POOLS, IP_LEASES, VIRTUAL_MACHINE_NETWORK_CONFIGS])
      await this.client.request({ method: 'DELETE', path: collectionPath(kind, this.namespace) });
  }

  async #abandon(name: string): Promise<void> {
    const released = { metadata: { finalizers: null } };
    await unlessGone(() => this.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, this.ref(name), 'merge', released));
  }

  /** Creates a pool `pool` of 10.0.0.10 to 10.0.0.19 on the network `prod`, with changed fields. */
  async createPool(name = 'pool', fields: PoolFields = {}): Promise<IPPool> {
    const { network = 'prod', start = '10.0.0.10', end = '10.0.0.19', exclude, ...config } = fields;
    return await this.client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: this.ref(name),
      spec: {
        networkName: network,
        ipv4Config: {
          cidr: '10.0.0.0/24',
          serverIP: '10.0.0.2',
          router: '10.0.0.1',
          pool: { start, end, ...(exclude === undefined ? {} : { exclude }) },
          ...config,
        },
      },
    });
  }

  /** Waits until new objects are younger than this pool: creationTimestamp has a resolution of one second. */
  async untilOlder({ metadata }: IPPool): Promise<void> {
    const next = Date.parse(metadata.creationTimestamp ?? '') + 1000;
    await eventually(() => {
      if (Date.now() < next) throw new Error('it is still the same second');
    });
  }

  async patchPool(spec: object, name = 'pool'): Promise<IPPool> {
    return await this.client.patch(IP_POOLS, this.ref(name), 'merge', { spec });
  }

  /** Creates a config for the VM of the same name. */
  async createConfig(
    name: string,
    interfaces: readonly Interface[],
    spec: Partial<VirtualMachineNetworkConfigSpec> = {},
  ): Promise<VirtualMachineNetworkConfig> {
    return await this.client.create(VIRTUAL_MACHINE_NETWORK_CONFIGS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'VirtualMachineNetworkConfig',
      metadata: this.ref(name),
      spec: { vmName: name, networkConfigs: [...interfaces], ...spec },
    });
  }

  async patchConfig(name: string, spec: object): Promise<VirtualMachineNetworkConfig> {
    return await this.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, this.ref(name), 'merge', { spec });
  }

  async beginDeletion(name: string): Promise<void> {
    await this.client.delete(VIRTUAL_MACHINE_NETWORK_CONFIGS, this.ref(name));
  }

  /** Resolves when the config is deleted, after its finalizer is removed. */
  async deleteConfig(name: string): Promise<void> {
    await this.beginDeletion(name);
    await eventually(async () => {
      const config = await this.client.find(VIRTUAL_MACHINE_NETWORK_CONFIGS, this.ref(name));
      if (config !== undefined) throw new Error(`${name} is still there: ${JSON.stringify(config.metadata)}`);
    });
  }

  async config(name: string): Promise<VirtualMachineNetworkConfig> {
    return await this.client.get(VIRTUAL_MACHINE_NETWORK_CONFIGS, this.ref(name));
  }

  async findLease(address: string, pool = 'pool'): Promise<IPLease | undefined> {
    return await this.client.find(IP_LEASES, this.ref(`${pool}.${address}`));
  }

  async leases(): Promise<IPLease[]> {
    return await this.#all(IP_LEASES);
  }

  async configs(): Promise<VirtualMachineNetworkConfig[]> {
    return await this.#all(VIRTUAL_MACHINE_NETWORK_CONFIGS);
  }

  async #all<T extends KubeObject>(kind: Kind<T>): Promise<T[]> {
    const all: T[] = [];
    for (let from: string | undefined = ''; from !== undefined;) {
      const page: ObjectList<T> = await this.client.list(kind, {
        namespace: this.namespace,
        limit: 500,
        ...(from === '' ? {} : { continue: from }),
      });
      all.push(...page.items);
      from = page.metadata.continue === '' ? undefined : page.metadata.continue;
    }
    return all;
  }

  /** `address mac` of the leases that agents serve, sorted by name. */
  async served(): Promise<string[]> {
    return (await this.leases())
      .filter(({ metadata }) => metadata.labels?.[LABELS.released] === undefined)
      .map(({ spec }) => `${spec.ipAddress} ${spec.macAddress}`)
      .toSorted();
  }

  /** Creates a lease in the format of a manager, with changed fields, as a previous manager could have left it. */
  async createLease(spec: IPLeaseSpec, { pool = 'pool', network = 'prod' } = {}): Promise<IPLease> {
    const label = networkLabel(`${this.namespace}/${network}`);
    return await this.client.create(IP_LEASES, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPLease',
      metadata: {
        ...this.ref(`${pool}.${spec.ipAddress}`),
        labels: { [LABELS.ipPool]: pool, [LABELS.network]: label },
      },
      spec,
    });
  }

  /** Writes a status as an agent does. */
  async reportLease(address: string, status: NonNullable<IPLease['status']>, pool = 'pool'): Promise<void> {
    await this.client.patch(IP_LEASES, this.ref(`${pool}.${address}`), 'merge', { status }, { subresource: 'status' });
  }

  /** Waits until agents serve exactly these leases, in the format of `served`. */
  async untilServed(...leases: string[]): Promise<void> {
    await eventually(async () => {
      const served = await this.served();
      if (served.join() !== leases.toSorted().join()) throw new Error(`served: ${served.join(', ')}`);
    });
  }

  /** Waits until the status contains these addresses, in the order of the spec; '' means no address. */
  async untilAddresses(name: string, ...addresses: string[]): Promise<VirtualMachineNetworkConfig> {
    return await eventually(async () => {
      const config = await this.config(name);
      const told = (config.status?.networkConfigs ?? [])
        .filter(({ state }) => state !== 'Stale')
        .map(({ allocatedIPAddress = '' }) => allocatedIPAddress);
      const isSeen = condition(config, 'Allocated')?.observedGeneration === config.metadata.generation;
      if (!isSeen || told.join() !== addresses.join())
        throw new Error(`${name} has ${told.join()}: ${JSON.stringify(config.status)}`);
      return config;
    });
  }

  /** Waits until Allocated has that reason, and returns the condition. */
  async untilReason(name: string, reason: string): Promise<Condition> {
    return await eventually(async () => {
      const allocated = condition(await this.config(name), 'Allocated');
      if (allocated?.reason !== reason) throw new Error(`${name}: ${JSON.stringify(allocated)}, not ${reason}`);
      return allocated;
    });
  }

  /** Waits until there is no lease of the address, served or not. */
  async untilFree(address: string, pool = 'pool', patience?: { timeout: number }): Promise<void> {
    await eventually(async () => {
      const lease = await this.findLease(address, pool);
      if (lease !== undefined) throw new Error(`${address} is taken: ${JSON.stringify(lease.metadata)}`);
    }, patience);
  }

  async untilEvent(reason: string, about: string): Promise<Event> {
    return await eventually(async () => {
      const { items } = await this.client.list(EVENTS, { namespace: this.namespace });
      const event = items.find((one) => one.reason === reason && one.involvedObject.name === about);
      if (event === undefined) throw new Error(`there is no Event ${reason} about ${about}`);
      return event;
    });
  }
}

export function condition({ status }: VirtualMachineNetworkConfig, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

/** The MAC address with that number. */
export function mac(number: number): string {
  const hex = number.toString(16).padStart(6, '0');
  return `52:54:00:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`;
}

/** An interface on the network `prod` with that MAC address and changed fields. */
export function on(macAddress: string, fields: Partial<Interface> = {}): Interface {
  return { networkName: 'prod', macAddress, ...fields };
}

const READ = ['get', 'list', 'watch'];

/** Exactly the permissions that these controllers need. */
const RULES = [
  {
    apiGroups: ['network.harvesterhci.io'],
    resources: ['ippools', 'virtualmachinenetworkconfigs'],
    verbs: [...READ, 'patch'],
  },
  {
    apiGroups: ['network.harvesterhci.io'],
    resources: ['virtualmachinenetworkconfigs/status', 'ipleases/status'],
    verbs: ['patch'],
  },
  {
    apiGroups: ['network.harvesterhci.io'],
    resources: ['ipleases'],
    verbs: [...READ, 'create', 'patch', 'delete'],
  },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachines', 'virtualmachineinstances'], verbs: READ },
  { apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'], verbs: READ },
  // Agents of vm-dhcp-controller.
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
