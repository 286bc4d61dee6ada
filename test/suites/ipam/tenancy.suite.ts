import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  IP_LEASES,
  IP_POOLS,
  LABELS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type IPLease,
} from '../../../api/index.ts';
import { EVENTS, NAMESPACES, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';

const c = await cluster();
const VICTIM = '02:00:00:00:00:0a';

let owner: string;
let tenant: string;

beforeAll(async () => {
  await c.standIns({ parts: ['kubevirt'] });
});

beforeEach(async () => {
  owner = await c.namespace();
  tenant = await c.namespace();
  await c.client.create(IP_POOLS, {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { namespace: owner, name: 'pool' },
    spec: {
      networkName: 'prod',
      ipv4Config: {
        cidr: '10.0.0.0/24',
        serverIP: '10.0.0.2',
        pool: { start: '10.0.0.10', end: '10.0.0.19' },
        leaseTime: 60,
      },
    },
  });
});

afterEach(async () => {
  // While the manager runs, which makes configs for VMs and releases their leases.
  const kinds: Kind<KubeObject>[] = [VIRTUAL_MACHINES, VIRTUAL_MACHINE_NETWORK_CONFIGS];
  for (const kind of kinds) {
    for (const namespace of [owner, tenant]) {
      const { items } = await c.client.list(kind, { namespace });
      for (const { metadata } of items) await c.client.delete(kind, metadata, { propagationPolicy: 'Background' });
      await eventually(async () => {
        expect((await c.client.list(kind, { namespace })).items.map(({ metadata }) => metadata.name)).toEqual([]);
      });
    }
  }
});

/** Runs a manager until the end of the test. */
async function manage(...args: string[]): Promise<void> {
  const manager = await c.manager({ args });
  onTestFinished(() => manager.stop());
}

/** Creates a stopped VM with those MAC addresses on the network; the manager makes its config. */
async function createMachine(namespace: string, name: string, ...macs: string[]): Promise<void> {
  const networks = macs.map((_, index) => ({ name: `net${index}`, multus: { networkName: `${owner}/prod` } }));
  const interfaces = macs.map((macAddress, index) => ({ name: `net${index}`, bridge: {}, macAddress }));
  await c.client.create(VIRTUAL_MACHINES, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace, name },
    spec: {
      runStrategy: 'Manual',
      template: { spec: { domain: { memory: { guest: '1Gi' }, devices: { interfaces } }, networks } },
    },
  });
}

interface Entry {
  macAddress: string;
  ipAddress?: string;
  retain?: boolean;
}

async function createConfig(namespace: string, name: string, ...entries: Entry[]): Promise<void> {
  await c.client.create(VIRTUAL_MACHINE_NETWORK_CONFIGS, {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'VirtualMachineNetworkConfig',
    metadata: { namespace, name },
    spec: { vmName: name, networkConfigs: entries.map((entry) => ({ networkName: `${owner}/prod`, ...entry })) },
  });
}

async function leases(): Promise<IPLease[]> {
  return (await c.client.list(IP_LEASES, { namespace: owner })).items;
}

/** `namespace/VM mac` of the leases that agents serve. */
async function served(): Promise<string[]> {
  return (await leases())
    .filter(({ metadata }) => metadata.labels?.[LABELS.released] === undefined)
    .map(({ spec }) => `${spec.vmRef?.namespace ?? ''}/${spec.vmRef?.name ?? ''} ${spec.macAddress}`)
    .toSorted();
}

async function untilServed(...expected: string[]): Promise<void> {
  await eventually(async () => {
    expect(await served()).toEqual(expected.toSorted());
  });
}

async function untilReason(namespace: string, name: string, reason: string): Promise<string> {
  return await eventually(async () => {
    const { status } = await c.client.get(VIRTUAL_MACHINE_NETWORK_CONFIGS, { namespace, name });
    const allocated = status?.conditions?.find(({ type }) => type === 'Allocated');
    if (allocated?.reason !== reason) throw new Error(`Allocated is ${JSON.stringify(allocated)}, not ${reason}`);
    return allocated.message;
  });
}

describe('a network config of another namespace', () => {
  let manager: RunningManager;

  beforeAll(async () => {
    manager = await c.manager();
  });
  afterAll(() => manager.stop());

  it('for a VM that does not exist takes no address, also with retain, and blocks no MAC address', async () => {
    const fixed = [10, 11, 12, 13].map((last) => ({
      macAddress: `02:00:00:00:01:${last}`,
      ipAddress: `10.0.0.${last}`,
      retain: true,
    }));
    await createConfig(tenant, 'ghost', { macAddress: VICTIM, retain: true }, ...fixed);
    expect(await untilReason(tenant, 'ghost', 'VirtualMachineNotFound')).toContain(`VirtualMachine ${tenant}/ghost`);
    await createMachine(owner, 'web', VICTIM);
    await untilServed(`${owner}/web ${VICTIM}`);
    await c.client.delete(VIRTUAL_MACHINE_NETWORK_CONFIGS, { namespace: tenant, name: 'ghost' });
    expect(await leases()).toHaveLength(1);
  });

  it('gets its address when its VM is created', async () => {
    await createConfig(tenant, 'late', { macAddress: VICTIM });
    await untilReason(tenant, 'late', 'VirtualMachineNotFound');
    await createMachine(tenant, 'late', VICTIM);
    await untilServed(`${tenant}/late ${VICTIM}`);
  });

  it('for a VM without that MAC address gets none, and the VM that has it keeps it', async () => {
    // Before its VM, for which the manager would create a config.
    await createConfig(tenant, 'mine', { macAddress: VICTIM }, { macAddress: '02:00:00:00:00:99' });
    await createMachine(tenant, 'mine', '02:00:00:00:00:99');
    await untilReason(tenant, 'mine', 'InterfaceNotFound');
    await createMachine(owner, 'web', VICTIM);
    await untilServed(`${owner}/web ${VICTIM}`, `${tenant}/mine 02:00:00:00:00:99`);
  });

  it('with the MAC address of a VM that is created later gives it up: the namespace of the network has the better claim', async () => {
    await createMachine(tenant, 'squatter', VICTIM);
    await untilServed(`${tenant}/squatter ${VICTIM}`);
    await createMachine(owner, 'web', VICTIM);
    await untilServed(`${owner}/web ${VICTIM}`);
    const message = await untilReason(tenant, 'squatter', 'DuplicateMAC');
    expect(message).toContain(`${owner}/web`);
    await eventually(async () => {
      const { items } = await c.client.list(EVENTS, { namespace: tenant, fieldSelector: 'reason=DuplicateMAC' });
      expect(items.find(({ involvedObject }) => involvedObject.kind === 'VirtualMachine')).toMatchObject({ message });
    });
  });
});

it('a namespace gets no more addresses than the installation allows', async () => {
  await manage('--addresses-per-namespace=2');
  await createMachine(tenant, 'many', ...[1, 2, 3].map((last) => `02:00:00:00:02:0${last}`));
  expect(await untilReason(tenant, 'many', 'QuotaExceeded')).toContain('dhcp.addressesPerNamespace');
  expect(await served()).toHaveLength(2);
  await createMachine(owner, 'web', VICTIM);
  await untilReason(owner, 'web', 'Allocated');
});

describe('a retained address', () => {
  it('is kept while its VM is gone, and ends with the namespace of the VM', async () => {
    await manage();
    await createMachine(tenant, 'web', VICTIM);
    await untilServed(`${tenant}/web ${VICTIM}`);
    const networkConfigs = [{ networkName: `${owner}/prod`, macAddress: VICTIM, retain: true }];
    await c.client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, { namespace: tenant, name: 'web' }, 'merge', {
      spec: { networkConfigs },
    });
    await c.client.delete(VIRTUAL_MACHINES, { namespace: tenant, name: 'web' }, { propagationPolicy: 'Background' });
    await eventually(async () => {
      expect((await leases()).map(({ metadata }) => metadata.labels?.[LABELS.retained])).toEqual(['true']);
    });
    await untilServed(`${tenant}/web ${VICTIM}`);
    await c.client.delete(NAMESPACES, { name: tenant });
    // The manager asks for the namespace of each retained lease when it starts, and every ten minutes.
    await eventually(async () => {
      expect((await c.client.find(NAMESPACES, { name: tenant }))?.metadata.deletionTimestamp ?? 'gone').toBeTruthy();
    });
    await manage();
    await eventually(async () => {
      expect(await served()).toEqual([]);
    });
  });
});
