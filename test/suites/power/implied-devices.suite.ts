import { describe, expect, it } from 'vitest';
import { bootOrdersOf, type VirtualMachineInstance } from '../../../api/index.ts';
import type { BootOverride, Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from './machine-scene.ts';
import { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '127.0.0.1' };
const pxeOnce: BootOverride = { device: 'Pxe', persistence: 'Once' };

/** As created by `virtctl create vm`. */
const TEMPLATE = {
  domain: { devices: {}, memory: { guest: '512Mi' } },
  terminationGracePeriodSeconds: 180,
  volumes: [
    { name: 'root', containerDisk: { image: 'example.invalid/disk' } },
    { name: 'data', emptyDisk: { capacity: '1Gi' } },
  ],
};
const NONE = { 'disk:root': 0, 'disk:data': 0, 'interface:default': 0 };
const NETWORK_FIRST = { 'disk:root': 2, 'disk:data': 3, 'interface:default': 1 };

const { world, namespace, anAgent } = await machineScene();

async function aMachine(name: string) {
  const machine = await TestMachine.create(world, namespace, name, 'Manual', TEMPLATE);
  await machine.off();
  const template = async () => (await machine.vm()).spec.template.spec;
  return { machine, agent: await anAgent(machine), template, before: await template() };
}

function devicesOf({ spec }: VirtualMachineInstance) {
  const { disks = [], interfaces = [] } = spec.domain.devices;
  const entries = [...disks, ...interfaces].map(({ bootOrder: _order, ...device }) => device);
  return { entries, networks: spec.networks };
}

describe('a VM whose template has only volumes', () => {
  it('boots once from the requested device with its implied devices, and its template is restored afterwards', async () => {
    const { machine, agent, template, before } = await aMachine('once');
    await agent.machine.power('On', requester);
    const plain = await machine.running();
    await agent.machine.setBootOverride(pxeOnce, requester);
    expect(await machine.orders()).toEqual(NETWORK_FIRST);
    await agent.machine.power('PowerCycle', requester);
    const overridden = await machine.running(plain);
    expect(bootOrdersOf({ ...(await machine.vm()), spec: { template: overridden } })).toEqual(NETWORK_FIRST);
    expect(devicesOf(overridden)).toEqual(devicesOf(plain));
    await eventually(async () => {
      expect(await template()).toEqual(before);
    });
    await agent.machine.power('PowerCycle', requester);
    const after = await machine.running(overridden);
    expect(after.spec).toEqual(plain.spec);
  });

  it('accepts an override before its first start', async () => {
    const { machine, agent, template, before } = await aMachine('new');
    for (const device of ['Pxe', 'Hdd'] as const) {
      await agent.machine.setBootOverride({ device, persistence: 'Continuous' }, requester);
      expect(await machine.orders()).toMatchObject(device === 'Pxe' ? NETWORK_FIRST : { 'disk:root': 1 });
    }
    await agent.machine.setBootOverride(undefined, requester);
    expect(await template()).toEqual(before);
    await expect(agent.machine.setBootOverride({ device: 'Cd', persistence: 'Once' }, requester)).rejects.toMatchObject(
      {
        code: 'NotSupported',
      },
    );
    expect(await template()).toEqual(before);
  });

  it('shows its boot options and accepts a persistent boot order', async () => {
    const { machine, agent } = await aMachine('ordered');
    await expect
      .poll(() => agent.machine.bootOptions().map(({ id }) => id))
      .toEqual(['disk:root', 'disk:data', 'interface:default']);
    await agent.machine.setBootOrder(['interface:default', 'disk:root'], requester);
    const orders = { ...NONE, 'interface:default': 1, 'disk:root': 2 };
    expect(await machine.orders()).toEqual(orders);
    await agent.machine.power('On', requester);
    const vmi = await machine.running();
    expect(bootOrdersOf({ ...(await machine.vm()), spec: { template: vmi } })).toEqual(orders);
  });
});
