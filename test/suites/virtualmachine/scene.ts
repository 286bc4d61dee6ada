import {
  IP_POOLS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import { EventRecorder, systemClock } from '@groundcrew/controller-runtime';
import { createNetworkCaches } from '../../../manager/networks/index.ts';
import { virtualMachineController } from '../../../manager/virtualmachine/index.ts';
import { eventually, type Cluster } from '../../harness/index.ts';
import { silentLogger } from '@groundcrew/controller-runtime/testing';

/** The controller in this process, without the rest of the manager. */
export class RunningController {
  readonly #stop = new AbortController();
  readonly #ended: Promise<unknown>;

  private constructor(ended: (signal: AbortSignal) => Promise<unknown>) {
    this.#ended = ended(this.#stop.signal);
  }

  static async start({ client }: Cluster, options: { assignMACs?: boolean } = {}): Promise<RunningController> {
    const common = { client, clock: systemClock, logger: silentLogger };
    const caches = createNetworkCaches({ ...common, namespaces: [] });
    const events = new EventRecorder({ ...common, component: 'groundcrew-manager' });
    const controller = virtualMachineController({ ...common, caches, events, assignMACs: options.assignMACs ?? true });
    const running = new RunningController(async (signal) => {
      const reading = caches.all.map((cache) => cache.run(signal));
      await Promise.all(caches.all.map((cache) => cache.settled(signal)));
      await controller.run(signal);
      await Promise.all(reading);
      await events.flush();
    });
    await eventually(() => {
      if (!caches.all.every(({ hasSynced, absent }) => hasSynced || absent)) throw new Error('the caches are not in');
    });
    return running;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended.catch(() => undefined);
  }
}

/** A namespace with the operations and checks of a user. */
export class Scene {
  readonly #cluster: Cluster;
  readonly namespace: string;

  private constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.namespace = namespace;
  }

  static async in(cluster: Cluster): Promise<Scene> {
    return new Scene(cluster, await cluster.namespace());
  }

  ref(name: string) {
    return { namespace: this.namespace, name };
  }

  async pool(network: string, name = network) {
    return await this.#cluster.client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: this.ref(name),
      spec: {
        networkName: network,
        ipv4Config: { cidr: '10.9.0.0/24', serverIP: '10.9.0.2', pool: { start: '10.9.0.10', end: '10.9.0.99' } },
      },
    });
  }

  /** Creates a VM whose interfaces have the names of their networks; `pod` is the pod network. */
  async virtualMachine(nics: Record<string, string | undefined>, change: VirtualMachineChange = {}) {
    const interfaces = Object.entries(nics).map(([name, macAddress]) => ({
      name,
      ...(name === 'pod' ? { masquerade: {} } : { bridge: {} }),
      ...(macAddress === undefined ? {} : { macAddress }),
    }));
    const networks = Object.keys(nics).map((name) =>
      name === 'pod' ? { name, pod: {} } : { name, multus: { networkName: name } },
    );
    const { name = 'web', runStrategy = 'Manual', annotations = {} } = change;
    return await this.#cluster.client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { ...this.ref(name), annotations },
      spec: {
        runStrategy,
        template: { spec: { domain: { memory: { guest: '1Gi' }, devices: { interfaces } }, networks } },
      },
    });
  }

  async patchVirtualMachine(patch: object, name = 'web'): Promise<VirtualMachine> {
    return await this.#cluster.client.patch(VIRTUAL_MACHINES, this.ref(name), 'merge', patch);
  }

  async vm(name = 'web'): Promise<VirtualMachine> {
    return await this.#cluster.client.get(VIRTUAL_MACHINES, this.ref(name));
  }

  async config(name = 'web'): Promise<VirtualMachineNetworkConfig | undefined> {
    return await this.#cluster.client.find(VIRTUAL_MACHINE_NETWORK_CONFIGS, this.ref(name));
  }

  async untilConfig(
    check: (config: VirtualMachineNetworkConfig) => void,
    name = 'web',
  ): Promise<VirtualMachineNetworkConfig> {
    return await eventually(async () => {
      const config = await this.config(name);
      if (config === undefined) throw new Error(`there is no config ${name}`);
      check(config);
      return config;
    });
  }

  /** Removes the finalizer, as the config controller does after the release of the leases. */
  async letConfigGo(name = 'web'): Promise<void> {
    await eventually(async () => {
      const config = await this.config(name);
      if (config?.metadata.deletionTimestamp === undefined) throw new Error(`config ${name} is not being deleted`);
      await this.#cluster.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, this.ref(name), 'merge', {
        metadata: { finalizers: null },
      });
    });
  }
}

export interface VirtualMachineChange {
  name?: string;
  runStrategy?: 'Manual' | 'Always' | 'Halted';
  annotations?: Record<string, string>;
}
