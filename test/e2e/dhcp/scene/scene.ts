import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IP_LEASES, IP_POOLS, LABELS, leaseName, networkLabel, type IPLease } from '../../../../api/index.ts';
import { NAMESPACES, SERVICE_ACCOUNTS, type KubeClient } from '@groundcrew/controller-runtime';
import { embeddedServer } from '../../../harness/embedded/server.ts';
import { inTurn } from '../../../harness/in-turn.ts';
import { Capture, Lan, NetworkNamespace } from '../../../harness/namespaces/index.ts';
import type { Outage, TestServer } from '../../../harness/server.ts';
import { podEnvironment, type PodEnvironment } from '../../../harness/service-accounts.ts';
import { Agent } from './agent.ts';
import { IPV4_CONFIG, POOL_NAME, type Ipv4Config } from './pool.ts';

const NAMESPACE = 'vms';
const NETWORK = 'prod-net';
const WRITES_AT_ONCE = 10;
const KEY = `${NAMESPACE}/${NETWORK}`;

export interface SceneOptions {
  /** Number of agents, each with its own server address; default 1. */
  agents?: number;
  /** Changes to `IPV4_CONFIG`. */
  pool?: Partial<Ipv4Config>;
  /** Leases that exist before the agents start. */
  leases?: readonly LeaseOptions[];
  /** Whether network traffic is captured; default true. */
  captures?: boolean;
}

export interface LeaseOptions {
  macAddress: string;
  address: string;
  hostname?: string;
  boot?: NonNullable<IPLease['spec']['boot']>;
}

/** A VM network on which Groundcrew's agents serve a pool, made of namespaces; the test replaces the manager. */
export class DhcpScene {
  readonly folder = mkdtempSync(join(tmpdir(), 'groundcrew-dhcp-'));
  /** The network of the VMs. */
  readonly lan = new Lan();
  /** The network of the agents' pods, which must never carry a DHCP message. */
  readonly podNetwork = new Lan();
  readonly agents: Agent[] = [];
  readonly #server: TestServer;
  #lanCapture: Capture | undefined;
  #podCapture: Capture | undefined;
  readonly #machines: NetworkNamespace[] = [];
  #folders = 0;

  private constructor(server: TestServer) {
    this.#server = server;
  }

  /** Resolves when all agents are ready. */
  static async start(options: SceneOptions = {}): Promise<DhcpScene> {
    const scene = new DhcpScene(await embeddedServer());
    try {
      if (options.captures !== false) await scene.#capture();
      await scene.#begin(options);
      return scene;
    } catch (error) {
      await scene.close();
      throw error;
    }
  }

  get client(): KubeClient {
    return this.#server.client;
  }

  /** Stops the agents' API server and restarts it. */
  get outage(): Outage {
    return this.#server.outage;
  }

  /** All DHCP messages on the VM network so far. */
  get messages(): ReturnType<Capture['dhcp']> {
    return this.#lanCapture?.dhcp() ?? [];
  }

  /** All frames on the VM network so far. */
  get frames(): ReturnType<Capture['frames']> {
    return this.#lanCapture?.frames() ?? [];
  }

  /** All DHCP messages sent on the agents' other interface. */
  get strayMessages(): ReturnType<Capture['dhcp']> {
    return this.#podCapture?.dhcp() ?? [];
  }

  /** Creates a machine on the VM network, or on another one, with an interface `eth0` and a separate folder. */
  machine(macAddress: string, lan = this.lan): { namespace: NetworkNamespace; device: string; folder: string } {
    const namespace = new NetworkNamespace();
    this.#machines.push(namespace);
    lan.attach(namespace, { device: 'eth0', macAddress });
    return { namespace, device: 'eth0', folder: this.newFolder() };
  }

  /** Creates a folder that is removed with the scene. */
  newFolder(): string {
    this.#folders += 1;
    const folder = join(this.folder, `machine-${this.#folders}`);
    mkdirSync(folder);
    return folder;
  }

  /** Creates a lease as the manager does for an interface. */
  async lease({ macAddress, address, hostname, boot }: LeaseOptions): Promise<IPLease> {
    return await this.client.create(IP_LEASES, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPLease',
      metadata: {
        namespace: NAMESPACE,
        name: leaseName(POOL_NAME, address),
        labels: { [LABELS.ipPool]: POOL_NAME, [LABELS.network]: networkLabel(KEY) },
      },
      spec: {
        ipAddress: address,
        macAddress,
        ...(hostname === undefined ? {} : { hostname }),
        ...(boot === undefined ? {} : { boot }),
      },
    });
  }

  /** Deletes a lease as the manager does for a deleted VM. */
  async release(address: string): Promise<void> {
    await this.client.patch(IP_LEASES, this.#ref(address), 'merge', {
      metadata: { labels: { [LABELS.released]: 'true' } },
    });
  }

  async leaseOf(address: string): Promise<IPLease> {
    return await this.client.get(IP_LEASES, this.#ref(address));
  }

  /** The agents' logs, for the report of a failure. */
  report(): string {
    return this.agents.map((agent) => `--- agent ${agent.index}\n${agent.log()}`).join('\n');
  }

  async close(): Promise<void> {
    for (const machine of this.#machines) machine.close();
    for (const agent of this.agents) await agent.close();
    await this.#lanCapture?.stop();
    await this.#podCapture?.stop();
    this.lan.close();
    this.podNetwork.close();
    await this.#server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #capture(): Promise<void> {
    this.#lanCapture = await Capture.start(this.lan.namespace, this.lan.device, join(this.folder, 'lan.pcap'));
    const { namespace, device } = this.podNetwork;
    this.#podCapture = await Capture.start(namespace, device, join(this.folder, 'pod-network.pcap'));
  }

  async #begin({ agents = 1, pool = {}, leases = [] }: SceneOptions): Promise<void> {
    const config = { ...IPV4_CONFIG, ...pool };
    const serverIPs = Array.from({ length: agents }, (_, index) => config.serverIP.replace(/1$/, String(index + 1)));
    const pod = await this.#fillCluster({ ...config, serverIPs });
    await inTurn(leases, WRITES_AT_ONCE, (lease) => this.lease(lease));
    for (const [index, serverAddress] of serverIPs.entries()) {
      const network = { lan: this.lan, podNetwork: this.podNetwork, key: KEY, poolNamespace: NAMESPACE };
      this.agents.push(new Agent({ ...network, pod, index, serverAddress, folder: this.folder }));
    }
    await Promise.all(this.agents.map((agent) => agent.start()));
  }

  /** Returns the environment of the agents' pods. */
  async #fillCluster(ipv4Config: Ipv4Config): Promise<PodEnvironment> {
    const { client } = this.#server;
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: { namespace: NAMESPACE, name: POOL_NAME },
      spec: {
        networkName: KEY,
        ipv4Config,
      },
    });
    const account = { namespace: NAMESPACE, name: `${NETWORK}-dhcp` };
    await client.apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
    return await podEnvironment(this.#server, account, join(this.folder, 'service-account'));
  }

  #ref(address: string): { namespace: string; name: string } {
    return { namespace: NAMESPACE, name: leaseName(POOL_NAME, address) };
  }
}
