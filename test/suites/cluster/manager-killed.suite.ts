import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  IP_LEASES,
  IP_POOLS,
  LABELS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type IPLease,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import type { Kind, KubeObject } from '@groundcrew/controller-runtime';
import { registerNetworks } from '@groundcrew/kubevirt-simulator/networks';
import { inTurn } from '../../harness/in-turn.ts';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';

const MACHINES = 1000;
/** Number of VMs that are deleted while the manager is killed. */
const DELETED = 200;
const AT_ONCE = 10;
const FEWEST_KILLS = 5;
/** Time for all work after the last kill. */
const PATIENCE = { timeout: 120_000, interval: 500 };

const c = await cluster();
await registerNetworks(c.client);
await eventually(() => c.client.list(NETWORK_ATTACHMENT_DEFINITIONS));
await c.standIns({ parts: ['kubevirt'] });

const macOf = (index: number): string =>
  (0x525400_200000 + index).toString(16).replaceAll(/..(?!$)/g, (octet) => `${octet}:`);
const nameOf = (index: number): string => `vm-${index}`;

describe('a manager that is killed repeatedly while VMs are created and deleted', () => {
  let namespace: string;
  let killing: Killing;

  beforeAll(async () => {
    namespace = await c.namespace();
    await c.client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { namespace, name: 'lan' },
      spec: { config: JSON.stringify({ cniVersion: '0.3.1', type: 'bridge', bridge: 'br-lan' }) },
    });
    await c.client.create(IP_POOLS, {
      apiVersion: 'network.harvesterhci.io/v1alpha1',
      kind: 'IPPool',
      metadata: { namespace, name: 'lan' },
      spec: {
        networkName: `${namespace}/lan`,
        ipv4Config: { cidr: '10.88.0.0/16', serverIP: '10.88.0.1', pool: { start: '10.88.1.0', end: '10.88.9.255' } },
      },
    });
    killing = new Killing(await c.manager());
  });

  it('permits all creations and some deletions', { timeout: 180_000 }, async () => {
    await inTurn(Array(MACHINES).keys(), AT_ONCE, createMachine);
    await inTurn(Array(DELETED).keys(), AT_ONCE, async (index) => {
      await c.client.delete(VIRTUAL_MACHINES, { namespace, name: nameOf(index) });
    });
    await eventually(() => {
      expect(killing.lives.length).toBeGreaterThanOrEqual(FEWEST_KILLS);
    }, PATIENCE);
    await killing.end();
  });

  it('has leased one address to each existing VM', { timeout: 180_000 }, async () => {
    await eventually(async () => {
      const [leases, configs] = await Promise.all([activeLeases(), all(VIRTUAL_MACHINE_NETWORK_CONFIGS)]);
      const wanted = Array.from({ length: MACHINES - DELETED }, (_, index) => macOf(DELETED + index));
      const lives = `lives of ${killing.lives.join(', ')} ms`;
      expect(leases.map(({ spec }) => spec.macAddress).sort(), lives).toEqual(wanted);
      expect(addressesOf(configs), lives).toEqual(
        new Map(leases.map(({ spec }): [string, string] => [spec.macAddress, spec.ipAddress])),
      );
    }, PATIENCE);
  });

  it('has leased no address twice', async () => {
    const addresses = (await activeLeases()).map(({ spec }) => spec.ipAddress);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it('has deleted all objects of deleted VMs', { timeout: 180_000 }, async () => {
    const gone = new Set(Array.from({ length: DELETED }, (_, index) => nameOf(index)));
    await eventually(async () => {
      const configs = await all(VIRTUAL_MACHINE_NETWORK_CONFIGS);
      expect(configs.filter(({ spec }) => gone.has(spec.vmName)).map(({ metadata }) => metadata.name)).toEqual([]);
      const leases = await all(IP_LEASES);
      expect(
        leases.filter(({ spec }) => gone.has(spec.vmRef?.name ?? '')).map(({ metadata }) => metadata.name),
      ).toEqual([]);
      expect(await usedAddresses()).toBe(MACHINES - DELETED);
    }, PATIENCE);
  });

  /** The leases that an agent would serve. */
  async function activeLeases(): Promise<IPLease[]> {
    const leases = await all(IP_LEASES);
    return leases.filter(({ metadata }) => metadata.labels?.[LABELS.released] !== 'true');
  }

  async function usedAddresses(): Promise<number | undefined> {
    const { status } = await c.client.get(IP_POOLS, { namespace, name: 'lan' });
    return status?.ipv4?.used;
  }

  async function all<T extends KubeObject>(kind: Kind<T>): Promise<T[]> {
    return (await c.client.list(kind, { namespace })).items;
  }

  async function createMachine(index: number): Promise<void> {
    await c.client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { namespace, name: nameOf(index) },
      spec: {
        runStrategy: 'Halted',
        template: {
          spec: {
            domain: {
              memory: { guest: '1Gi' },
              devices: { interfaces: [{ name: 'lan', bridge: {}, macAddress: macOf(index) }] },
            },
            networks: [{ name: 'lan', multus: { networkName: 'lan' } }],
          },
        },
      },
    });
  }
});

function addressesOf(configs: readonly VirtualMachineNetworkConfig[]): Map<string, string> {
  return new Map(
    configs
      .flatMap(({ status }) => status?.networkConfigs ?? [])
      .map(({ macAddress = '', allocatedIPAddress = '' }): [string, string] => [macAddress, allocatedIPAddress]),
  );
}

/** Maximum lifetime of a manager after it is ready, in ms. */
const LONGEST_LIFE = 600;

/** Kills and restarts a manager repeatedly at random times. */
class Killing {
  /** Lifetimes in ms after ready, for the report of a failure. */
  readonly lives: number[] = [];
  readonly #manager: RunningManager;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(manager: RunningManager) {
    this.#manager = manager;
    this.#ended = this.#kill();
    // The error is reported by `end`.
    this.#ended.catch(() => undefined);
  }

  /** Stops the kills and resolves when the manager is running; rejects if it did not restart. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #kill(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const life = Math.floor(Math.random() * LONGEST_LIFE);
      await sleep(life);
      await this.#manager.stop('SIGKILL');
      this.lives.push(life);
      await this.#manager.start();
    }
  }
}
