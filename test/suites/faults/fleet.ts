import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  IP_LEASES,
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import { PODS, SECRETS, type Kind, type KubeObject, type Pod } from '@groundcrew/controller-runtime';
import { eventually, type Cluster } from '../../harness/index.ts';
import { FaultyProxy } from '../../harness/faulty-proxy.ts';
import { installMultus } from '../../harness/multus.ts';
import { groundcrew } from '../../harness/stand-ins.ts';
import { macText } from '../dhcp-agent/network-scene.ts';
import { KeptManager } from './kept-manager.ts';
import { Probes } from './probes.ts';

/** Time to converge after a fault. The longest part is a Lease of 15 s and the start of another agent. */
const CONVERGED = { timeout: 90_000, interval: 250 };
const USERNAME = 'admin';

/** What clients know of one machine from the time when all was well. */
export interface Machine {
  name: string;
  /** Of the MAC address. */
  index: number;
  address: string;
  /** Address of the BMC's pod. */
  bmc: string;
  isOn: boolean;
}

/** Two managers, BMCs and a network with two DHCP agents: real processes that reach the API server through one proxy. */
export class Fleet {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly proxy: FaultyProxy;
  readonly probes: Probes;
  /** What DHCP clients get when the last change has arrived everywhere. */
  dns = '10.48.0.53';
  #password = 'secret-0';
  #version = 0;
  readonly #managers: KeptManager[] = [];
  readonly #folder: string;
  /** Indexes of MAC addresses by name. */
  readonly #indexes = new Map<string, number>();
  #made = 0;
  #machines: readonly Machine[] = [];
  #dhcpAgents: readonly string[] = [];

  private constructor(cluster: Cluster, namespace: string, proxy: FaultyProxy, folder: string) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.proxy = proxy;
    this.#folder = folder;
    this.probes = new Probes(folder);
  }

  static async start(cluster: Cluster, size: number): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
    const fleet = new Fleet(cluster, await cluster.namespace(), await FaultyProxy.start(cluster), folder);
    const { proxy, probes } = fleet;
    await installMultus(cluster.client);
    const [node, ...program] = groundcrew;
    await cluster.standIns({
      parts: ['kubevirt', 'deployments', 'kubelet'],
      through: proxy,
      images: { groundcrew: { command: [node, ...probes.nodeOptions, ...program] } },
    });
    const options = { leaderElect: true, through: proxy, nodeOptions: probes.nodeOptions, awaitReady: false };
    const first = await cluster.manager(options);
    const second = await cluster.manager({ ...options, namespace: first.namespace });
    fleet.#managers.push(new KeptManager(first), new KeptManager(second));
    await fleet.#createNetwork();
    for (let index = 0; index < size; index += 1) await fleet.createMachine();
    await fleet.converge();
    return fleet;
  }

  /** As of the last time when the fleet had converged, without those deleted since. */
  get machines(): readonly Machine[] {
    return this.#machines.filter(({ name }) => this.#indexes.has(name));
  }

  /** Addresses of the DHCP agents' pods. */
  get dhcpAgents(): readonly string[] {
    return this.#dhcpAgents;
  }

  /** The login of all BMCs. */
  get access(): { username: string; password: string } {
    return { username: USERNAME, password: this.#password };
  }

  /** Exit codes of managers that ended by themselves. */
  get exits(): readonly (number | null)[] {
    return this.#managers.flatMap(({ exits }) => exits);
  }

  ref(name: string) {
    return { namespace: this.namespace, name };
  }

  /** Creates a VM with a card on the network, and its BMC. */
  async createMachine(): Promise<string> {
    this.#made += 1;
    const [name, index] = [`m${this.#made}`, this.#made];
    await this.cluster.client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: this.ref(name),
      spec: {
        runStrategy: 'Manual',
        template: {
          spec: {
            domain: {
              memory: { guest: '64Mi' },
              devices: { interfaces: [{ name: 'lan', bridge: {}, macAddress: macText(index) }] },
            },
            networks: [{ name: 'lan', multus: { networkName: 'lan' } }],
          },
        },
      },
    });
    await this.cluster.client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: this.ref(name),
      spec: { virtualMachineRef: { name }, authSecretRef: { name: 'creds' } },
    });
    this.#indexes.set(name, index);
    return name;
  }

  async deleteMachine(name: string): Promise<void> {
    await this.cluster.client.delete(VIRTUAL_MACHINE_BMCS, this.ref(name), { propagationPolicy: 'Background' });
    await this.cluster.client.delete(VIRTUAL_MACHINES, this.ref(name), { propagationPolicy: 'Background' });
    this.#indexes.delete(name);
  }

  /** Changes what the DHCP agents serve. */
  async changeDns(): Promise<void> {
    this.#version += 1;
    this.dns = `10.48.1.${this.#version % 250}`;
    const spec = { ipv4Config: { dns: [this.dns] } };
    await this.cluster.client.patch(IP_POOLS, this.ref('lan'), 'merge', { spec });
  }

  /** Changes what the BMCs serve. */
  async changePassword(): Promise<void> {
    this.#version += 1;
    const password = `secret-${this.#version}`;
    await this.cluster.client.patch(SECRETS, this.ref('creds'), 'merge', { stringData: { password } });
    this.#password = password;
  }

  /** Resolves when every object has the state that its spec asks for. */
  async converge(): Promise<void> {
    await eventually(async () => {
      const pods = await this.#agentPods();
      this.#machines = await this.#convergedMachines(pods);
      this.#dhcpAgents = await this.#convergedPool(pods);
    }, CONVERGED);
  }

  /** The pod that serves the BMC, or the first DHCP agent. */
  async podOf(what: string): Promise<Pod> {
    const address = this.machines.find(({ name }) => name === what)?.bmc ?? this.#dhcpAgents[0];
    const pods = await this.#agentPods();
    return pods.find(({ status }) => status?.podIP === address) ?? expect.fail(`no pod serves ${what}`);
  }

  async close(): Promise<void> {
    for (const manager of this.#managers) await manager.close();
    await this.proxy.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #convergedMachines(pods: readonly Pod[]): Promise<Machine[]> {
    const [machines, bmcs, configs, leases] = await Promise.all([
      this.#all(VIRTUAL_MACHINES),
      this.#all(VIRTUAL_MACHINE_BMCS),
      this.#all(VIRTUAL_MACHINE_NETWORK_CONFIGS),
      this.#all(IP_LEASES),
    ]);
    const addresses = leases.map(({ spec }) => spec.ipAddress);
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(machines.map(({ metadata }) => metadata.name).toSorted()).toEqual([...this.#indexes.keys()].toSorted());
    return [...this.#indexes].map(([name, index]) => {
      const bmc = bmcs.find(({ metadata }) => metadata.name === name);
      expect(bmc?.status, name).toMatchObject({ phase: 'Ready', observedGeneration: bmc?.metadata.generation });
      const isOn = machines.find(({ metadata }) => metadata.name === name)?.status?.printableStatus === 'Running';
      expect(bmc?.status?.powerState, name).toBe(isOn ? 'On' : 'Off');
      const pod = pods.find(({ metadata }) => metadata.name === bmc?.status?.agent?.name);
      const address = pod?.status?.podIP ?? expect.fail(`the agent of ${name} has no pod`);
      const owned = leases.filter(({ spec }) => spec.macAddress === macText(index));
      expect(owned.map(({ spec }) => spec.vmRef?.name)).toEqual([name]);
      const { status } = configs.find(({ spec }) => spec.vmName === name) ?? {};
      const leased = owned[0]?.spec.ipAddress ?? '';
      expect(status?.networkConfigs, name).toMatchObject([{ allocatedIPAddress: leased, state: 'Allocated' }]);
      return { name, index, address: leased, bmc: address, isOn };
    });
  }

  async #convergedPool(pods: readonly Pod[]): Promise<string[]> {
    const { metadata, spec, status } = await this.cluster.client.get(IP_POOLS, this.ref('lan'));
    expect(status).toMatchObject({ phase: 'Ready', observedGeneration: metadata.generation });
    expect(spec.ipv4Config?.dns).toEqual([this.dns]);
    expect(status?.agents?.map(({ ready }) => ready)).toEqual([true, true]);
    return (status?.agents ?? []).map(({ name }) => {
      const pod = pods.find((each) => each.metadata.name === name);
      return pod?.status?.podIP ?? expect.fail(`the agent ${name} has no pod`);
    });
  }

  /** Pods of agents that are Ready. */
  async #agentPods(): Promise<Pod[]> {
    return (await this.#all(PODS)).filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
  }

  async #all<T extends KubeObject>(kind: Kind<T>): Promise<T[]> {
    return (await this.cluster.client.list(kind, { namespace: this.namespace })).items;
  }

  async #createNetwork(): Promise<void> {
    const { client } = this.cluster;
    const stringData = { username: USERNAME, password: this.#password };
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: this.ref('creds'), stringData });
    await client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: this.ref('lan'),
      spec: { config: JSON.stringify({ cniVersion: '0.3.1', name: 'lan', type: 'bridge', bridge: 'br0' }) },
    });
    await client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: this.ref('lan'),
      spec: {
        networkName: `${this.namespace}/lan`,
        ipv4Config: {
          cidr: '10.48.0.0/16',
          serverIP: '10.48.0.2',
          serverIPs: ['10.48.0.2', '10.48.0.3'],
          dns: [this.dns],
          pool: { start: '10.48.4.0', end: '10.48.7.255' },
        },
      },
    });
  }
}
