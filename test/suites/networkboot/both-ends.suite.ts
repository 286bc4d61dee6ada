import { describe, expect, it } from 'vitest';
import { IP_LEASES, IP_POOLS, LABELS, leaseName } from '../../../api/index.ts';
import type { Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from '../power/machine-scene.ts';
import type { TestMachine } from '../power/test-machine.ts';

const requester: Requester = { protocol: 'Redfish', user: 'admin', address: '127.0.0.1' };
const uri = 'https://10.0.0.1/boot.iso';
const ADDRESS = '10.0.0.10';

const { world, namespace, aMachine, anAgent, restored } = await machineScene();
await world.manager();

describe('the HTTP boot URI of a BMC', () => {
  it('is copied to the lease of the VMI that boots from it, and stays after the end of the override', async () => {
    const machine = await aMachine();
    await createLease(machine);
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride({ device: 'UefiHttp', persistence: 'Once', uri }, requester);
    await agent.machine.power('On', requester);
    const first = await machine.running();
    await untilBoot({ vmiUID: first.metadata.uid, mode: 'UefiHttp', uri });
    await restored(machine);
    await untilBoot({ vmiUID: first.metadata.uid, mode: 'UefiHttp', uri });
    await agent.machine.power('PowerCycle', requester);
    await machine.running(first);
    await untilBoot(undefined);

    await agent.machine.setBootOverride({ device: 'UefiHttp', persistence: 'Continuous', uri }, requester);
    await agent.machine.power('ForceOff', requester);
    await machine.off();
    await agent.machine.power('On', requester);
    const last = await machine.running();
    await untilBoot({ mode: 'UefiHttp', uri });
    await agent.machine.setBootOverride(undefined, requester);
    await untilBoot({ vmiUID: last.metadata.uid, mode: 'UefiHttp', uri });
    await agent.machine.power('ForceOff', requester);
    await untilBoot(undefined);
  });
});

async function untilBoot(boot: unknown): Promise<void> {
  await eventually(async () => {
    const { spec } = await world.client.get(IP_LEASES, { namespace, name: leaseName('lan', ADDRESS) });
    expect(spec.boot).toEqual(boot);
  });
}

/** Creates a lease as IPAM does, in a paused pool without agents. */
async function createLease(machine: TestMachine): Promise<void> {
  await world.client.create(IP_POOLS, {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { namespace, name: 'lan' },
    spec: {
      networkName: 'lan',
      paused: true,
      ipv4Config: { cidr: '10.0.0.0/24', serverIP: '10.0.0.2', pool: { start: ADDRESS, end: '10.0.0.20' } },
    },
  });
  await world.client.create(IP_LEASES, {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: {
      namespace,
      name: leaseName('lan', ADDRESS),
      labels: { [LABELS.ipPool]: 'lan', [LABELS.network]: `${namespace}.lan` },
    },
    spec: { ipAddress: ADDRESS, macAddress: '02:00:00:00:00:01', vmRef: machine.ref, interfaceName: 'default' },
  });
}
