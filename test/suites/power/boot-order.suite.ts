import { describe, expect, it } from 'vitest';
import { firmwareOf, HTTP_BOOT_ANNOTATION, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { EVENTS } from '@groundcrew/controller-runtime';
import type { BootOverride, Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene, NETWORK_FIRST, ORIGINAL } from './machine-scene.ts';

const requester: Requester = { protocol: 'Redfish', user: 'admin', address: '127.0.0.1' };
const pxeOnce: BootOverride = { device: 'Pxe', persistence: 'Once' };

const { world, namespace, aMachine, anAgent, restored, bootOrders } = await machineScene();

describe('a boot override over HTTP', () => {
  const uri = 'https://10.0.0.1/boot.iso';

  it('is recorded with its URI on the next VMI and on no later one', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride({ device: 'UefiHttp', persistence: 'Once', uri }, requester);
    const override: BootOverride = { device: 'UefiHttp', persistence: 'Once', firmware: 'UEFI', uri };
    expect(agent.machine.bootOverride()).toEqual(override);
    expect((await machine.bmcObject()).status?.bootOverride).toMatchObject({
      target: 'UefiHttp',
      mode: 'Oneshot',
      uri,
    });

    await agent.machine.power('On', requester);
    const first = await machine.running();
    expect(await bootOrders(machine, first)).toEqual(NETWORK_FIRST);
    expect(first.spec.domain.firmware?.bootloader?.efi).toBeDefined();
    expect(first.metadata.annotations).toMatchObject({ [HTTP_BOOT_ANNOTATION]: `Once ${uri}` });
    await restored(machine);
    expect((await machine.vm()).spec.template.metadata?.annotations ?? {}).not.toHaveProperty([HTTP_BOOT_ANNOTATION]);

    await agent.machine.power('PowerCycle', requester);
    const second = await machine.running(first);
    expect(await bootOrders(machine, second)).toEqual(ORIGINAL);
    expect(second.metadata.annotations).not.toHaveProperty([HTTP_BOOT_ANNOTATION]);
  });

  it('that is continuous is recorded on each VMI until it is cleared, and accepts another URI', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride({ device: 'UefiHttp', persistence: 'Continuous', uri }, requester);
    await agent.machine.power('On', requester);
    const first = await machine.running();
    expect(first.metadata.annotations).toMatchObject({ [HTTP_BOOT_ANNOTATION]: `Continuous ${uri}` });
    await agent.machine.setBootOverride({ device: 'UefiHttp', persistence: 'Continuous' }, requester);
    // A reset would boot with the previous order.
    await agent.machine.power('ForceRestart', requester);
    const second = await machine.running(first);
    expect(second.metadata.annotations).toMatchObject({ [HTTP_BOOT_ANNOTATION]: 'Continuous' });
    await agent.machine.setBootOverride(undefined, requester);
    await restored(machine);
  });

  it('leaves nothing on the template when another override replaces it', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride({ device: 'UefiHttp', persistence: 'Once', uri }, requester);
    await agent.machine.setBootOverride(pxeOnce, requester);
    const { template } = (await machine.vm()).spec;
    expect(template.metadata?.annotations ?? {}).not.toHaveProperty([HTTP_BOOT_ANNOTATION]);
    expect(firmwareOf(template.spec.domain)).toBe('Legacy');
    await agent.machine.setBootOverride(undefined, requester);
    await restored(machine);
  });
});

describe('the persistent boot order of a machine', () => {
  it('is shown with the boot options, and can be changed from the next boot on', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await expect
      .poll(() => agent.machine.bootOptions())
      .toEqual([
        { id: 'disk:root', device: 'Hdd', instance: 1, name: 'Disk root (virtio)', order: 1 },
        { id: 'cdrom:cd', device: 'Cd', instance: 1, name: 'CD-ROM drive cd (sata)' },
        { id: 'interface:default', device: 'Pxe', instance: 1, name: 'Network interface default (02:00:00:00:00:01)' },
      ]);
    await agent.machine.setBootOrder(['cdrom:cd', 'disk:root'], requester);
    const changed = { 'cdrom:cd': 1, 'disk:root': 2, 'interface:default': 0 };
    expect(await machine.orders()).toEqual(changed);
    // Immediately: a client reads back the order that it wrote.
    expect(agent.machine.bootOptions().map(({ order }) => order)).toEqual([2, 1, undefined]);
    await agent.machine.power('On', requester);
    expect(await bootOrders(machine, await machine.running())).toEqual(changed);
    await agent.machine.setBootOrder([], requester);
    expect(Object.values(await machine.orders())).toEqual([0, 0, 0]);
    await expect(agent.machine.setBootOrder(['disk:none'], requester)).rejects.toMatchObject({ code: 'NotSupported' });
  });

  it('is restored after an override that was active when it was set', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride(pxeOnce, requester);
    await agent.machine.setBootOrder(['cdrom:cd', 'disk:root'], requester);
    expect(await machine.orders()).toEqual(NETWORK_FIRST);
    expect(agent.machine.bootOptions().map(({ order }) => order)).toEqual([2, 1, undefined]);
    await agent.machine.power('On', requester);
    expect(await bootOrders(machine, await machine.running())).toEqual(NETWORK_FIRST);
    await eventually(async () => {
      expect(await machine.orders()).toEqual({ 'cdrom:cd': 1, 'disk:root': 2, 'interface:default': 0 });
    });
    await agent.events.flush();
    const { items } = await world.client.list(EVENTS, { namespace });
    const told = items.filter(({ reason, involvedObject }) => {
      return reason === 'BootOrderSet' && involvedObject.name === machine.bmc.name;
    });
    expect(told.map(({ message }) => message)).toEqual([
      'Set the boot order cdrom:cd, disk:root, as admin asked over Redfish from 127.0.0.1',
    ]);
  });

  it('is checked for conflicts and read again after a concurrent change', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const label = (value: string): Promise<unknown> => {
      return world.client.patch(VIRTUAL_MACHINES, machine.ref, 'merge', {
        spec: { template: { spec: { domain: { devices: { rng: {} } }, hostname: value } } },
      });
    };
    await Promise.all([
      agent.machine.setBootOrder(['interface:default', 'disk:root'], requester),
      label('one'),
      agent.machine.setBootOverride({ device: 'Cd', persistence: 'Once' }, requester),
      label('two'),
    ]);
    await agent.machine.setBootOverride(undefined, requester);
    expect(await machine.orders()).toEqual({ 'interface:default': 1, 'disk:root': 2, 'cdrom:cd': 0 });
  });
});

describe('a graceful restart', () => {
  it('shuts the guest down and powers it on if the boot device changes', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.power('On', requester);
    const first = await machine.running();
    await agent.machine.setBootOverride(pxeOnce, requester);
    await agent.machine.power('GracefulRestart', requester);
    expect(['PoweringOff', 'PoweringOn']).toContain(agent.machine.powerState());
    const second = await machine.running(first);
    expect(await bootOrders(machine, second)).toEqual(NETWORK_FIRST);
    await restored(machine);
  });
});
