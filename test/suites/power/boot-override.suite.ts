import { describe, expect, it } from 'vitest';
import {
  BOOT_OVERRIDE_ANNOTATION,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import { EVENTS, systemClock } from '@groundcrew/controller-runtime';
import type { BootOverride, Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { restoreWithoutStatus } from '../../harness/scenes/backup.ts';
import { machineScene, NETWORK_FIRST, ORIGINAL } from './machine-scene.ts';
import type { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '127.0.0.1' };
const pxeOnce: BootOverride = { device: 'Pxe', persistence: 'Once' };

const { world, namespace, aMachine, anAgent, restored, bootOrders } = await machineScene();

async function addSecondInterface(machine: TestMachine): Promise<void> {
  await installMultus(world.client);
  await world.client.create(NETWORK_ATTACHMENT_DEFINITIONS, {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { namespace: machine.ref.namespace, name: 'second' },
    spec: { config: JSON.stringify({ cniVersion: '0.3.1', type: 'bridge', bridge: 'br1' }) },
  });
  const spec = '/spec/template/spec';
  const { interfaces } = (await machine.vm()).spec.template.spec.domain.devices;
  await world.client.patch(VIRTUAL_MACHINES, machine.ref, 'json', [
    { op: 'test', path: `${spec}/domain/devices/interfaces`, value: interfaces },
    { op: 'add', path: `${spec}/domain/devices/interfaces/-`, value: { name: 'second', bridge: {} } },
    { op: 'add', path: `${spec}/networks/-`, value: { name: 'second', multus: { networkName: 'second' } } },
  ]);
}

describe('a boot override', () => {
  it('for one boot is in the next VMI and in no later one', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride(pxeOnce, requester);
    expect(agent.machine.bootOverride()).toEqual(pxeOnce);
    expect(await machine.orders()).toEqual(NETWORK_FIRST);

    await agent.machine.power('On', requester);
    const first = await machine.running();
    expect(await bootOrders(machine, first)).toEqual(NETWORK_FIRST);
    await restored(machine);
    await expect.poll(() => agent.machine.bootOverride()).toBeUndefined();

    await agent.machine.power('PowerCycle', requester);
    expect(await bootOrders(machine, await machine.running(first))).toEqual(ORIGINAL);
  });

  it('makes a reset create a new VMI, because KubeVirt resets with the previous boot order', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.power('On', requester);
    const first = await machine.running();
    await agent.machine.setBootOverride(pxeOnce, requester);
    expect((await machine.running()).metadata.uid).toBe(first.metadata.uid);
    await agent.machine.power('ForceRestart', requester);
    const second = await machine.running(first);
    expect(await bootOrders(machine, second)).toEqual(NETWORK_FIRST);
    await restored(machine);
    await agent.machine.power('ForceRestart', requester);
    expect(await bootOrders(machine, await machine.running(second))).toEqual(ORIGINAL);
  });

  it('that is continuous stays until it is cleared', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride({ device: 'Cd', persistence: 'Continuous' }, requester);
    await agent.machine.power('On', requester);
    const first = await machine.running();
    await agent.machine.power('PowerCycle', requester);
    const second = await machine.running(first);
    expect(await bootOrders(machine, second)).toMatchObject({ 'cdrom:cd': 1 });
    await agent.machine.setBootOverride(undefined, requester);
    await restored(machine);
  });

  it('replaces the previous override and restores the same original', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    for (const device of ['Pxe', 'Cd', 'Hdd', 'Pxe'] as const) {
      await agent.machine.setBootOverride({ device, persistence: 'Once' }, requester);
      expect((await machine.bmcObject()).status?.bootOverride?.bootOrders).toEqual(ORIGINAL);
    }
    expect(await machine.orders()).toEqual(NETWORK_FIRST);
    await agent.machine.setBootOverride(undefined, requester);
    await restored(machine);
  });

  it('changes the firmware if requested, and restores it exactly', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const before = (await machine.vm()).spec.template.spec.domain.firmware;
    await agent.machine.setBootOverride({ ...pxeOnce, firmware: 'UEFI' }, requester);
    expect((await machine.vm()).spec.template.spec.domain.firmware?.bootloader).toEqual({ efi: { secureBoot: false } });
    await agent.machine.power('On', requester);
    expect((await machine.running()).spec.domain.firmware?.bootloader).toEqual({ efi: { secureBoot: false } });
    await restored(machine);
    expect((await machine.vm()).spec.template.spec.domain.firmware).toEqual(before);
  });

  it('can select one of several devices, is known to the next agent, and restores the original when it is cleared', async () => {
    const machine = await aMachine();
    await addSecondInterface(machine);
    const original = await machine.orders();
    const doomed = await anAgent(machine);
    const second: BootOverride = { device: 'Pxe', persistence: 'Continuous', instance: 2 };
    await doomed.machine.setBootOverride(pxeOnce, requester);
    await doomed.machine.setBootOverride(second, requester);
    const orders = { 'interface:second': 1, 'disk:root': 2, 'cdrom:cd': 3, 'interface:default': 4 };
    expect(await machine.orders()).toEqual(orders);
    await doomed.kill();

    const heir = await anAgent(machine);
    expect(heir.machine.bootOverride()).toEqual(second);
    await heir.machine.power('On', requester);
    const first = await machine.running();
    await heir.machine.power('PowerCycle', requester);
    expect(await bootOrders(machine, await machine.running(first))).toEqual(orders);
    await expect(heir.machine.setBootOverride({ ...second, instance: 3 }, requester)).rejects.toMatchObject({
      code: 'NotSupported',
    });
    expect(heir.machine.bootOverride()).toEqual(second);
    await heir.machine.setBootOverride(undefined, requester);
    expect(await machine.orders()).toEqual(original);
    expect((await machine.bmcObject()).status?.bootOverride).toBeUndefined();
  });

  it('is dropped if another client restores the boot order, until a BMC client boots the machine', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride(pxeOnce, requester);
    await world.client.patch(VIRTUAL_MACHINES, machine.ref, 'json', [
      { op: 'remove', path: '/spec/template/spec/domain/devices/interfaces/0/bootOrder' },
      { op: 'remove', path: '/spec/template/spec/domain/devices/disks/1/bootOrder' },
      { op: 'replace', path: '/spec/template/spec/domain/devices/disks/0/bootOrder', value: 1 },
    ]);
    await agent.machine.power('On', requester);
    expect(await bootOrders(machine, await machine.running())).toEqual(NETWORK_FIRST);
    await restored(machine);
  });

  it('leaves a device that was added in the meantime at its position', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride(pxeOnce, requester);
    await world.client.patch(VIRTUAL_MACHINES, machine.ref, 'json', [
      {
        op: 'add',
        path: '/spec/template/spec/domain/devices/disks/-',
        value: { name: 'data', bootOrder: 4, disk: {} },
      },
      {
        op: 'add',
        path: '/spec/template/spec/volumes/-',
        value: { name: 'data', containerDisk: { image: 'x.invalid/d' } },
      },
    ]);
    await agent.machine.power('On', requester);
    await machine.running();
    await eventually(async () => {
      expect(await machine.orders()).toEqual({ ...ORIGINAL, 'disk:data': 4 });
    });
  });

  it('is refused without a change if the machine has no such device', async () => {
    const machine = await aMachine();
    await world.client.patch(VIRTUAL_MACHINES, machine.ref, 'json', [
      { op: 'remove', path: '/spec/template/spec/domain/devices/disks/1' },
      { op: 'remove', path: '/spec/template/spec/volumes/1' },
    ]);
    const agent = await anAgent(machine);
    await expect(agent.machine.setBootOverride({ device: 'Cd', persistence: 'Once' }, requester)).rejects.toMatchObject(
      { code: 'NotSupported' },
    );
    expect((await machine.bmcObject()).status?.bootOverride).toBeUndefined();
  });

  it('is deleted with its VM', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride(pxeOnce, requester);
    await world.client.delete(VIRTUAL_MACHINES, machine.ref);
    await eventually(async () => {
      expect(await world.client.find(VIRTUAL_MACHINES, machine.ref)).toBeUndefined();
    });
    await machine.createVm('Manual');
    await restored(machine);
    expect(agent.machine.bootOverride()).toBeUndefined();
  });

  it('that is continuous applies to a recreated VM, whose own order is restored when it is cleared', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride({ device: 'Pxe', persistence: 'Continuous' }, requester);
    await world.client.delete(VIRTUAL_MACHINES, machine.ref);
    await eventually(async () => {
      expect(await world.client.find(VIRTUAL_MACHINES, machine.ref)).toBeUndefined();
    });
    await machine.createVm('Manual');
    await eventually(async () => {
      expect(await machine.orders()).toEqual(NETWORK_FIRST);
    });
    await agent.machine.power('On', requester);
    expect(await bootOrders(machine, await machine.running())).toEqual(NETWORK_FIRST);
    expect(agent.machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Continuous' });
    await agent.machine.setBootOverride(undefined, requester);
    await restored(machine);
  });
});

describe('a boot override with a timeout', () => {
  const lapseAfter = 3_000;

  it('is removed after the timeout, which is logged without a user', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride(pxeOnce, requester, 500);
    await restored(machine);
    expect(agent.machine.bootOverride()).toBeUndefined();
    await eventually(async () => {
      await agent.events.flush();
      const { items } = await world.client.list(EVENTS, { namespace });
      const told = items.filter(({ involvedObject }) => involvedObject.name === machine.bmc.name);
      expect(told.map(({ reason }) => reason)).toEqual(['BootOverrideSet', 'BootOverrideLapsed']);
      expect(told.map(({ message }) => message)).toContain(
        'The machine was not booted within 60 s of `boot once from the network`; its own boot order is restored ' +
          '(IPMI 2.0 §28.13; boot parameter 3 turns this off)',
      );
    });
  });

  it('is not removed early because the system’s time is set forward', async () => {
    const machine = await aMachine();
    let ahead = 0;
    const agent = await anAgent(machine, { clock: { ...systemClock, now: () => Date.now() + ahead } });
    await agent.machine.setBootOverride(pxeOnce, requester, 600_000);
    ahead = 86_400_000;
    expect(agent.machine.bootOverride()).toEqual(pxeOnce);
  });

  it('is removed by the next agent if its agent has ended', async () => {
    const machine = await aMachine();
    const doomed = await anAgent(machine);
    await doomed.machine.setBootOverride(pxeOnce, requester, lapseAfter);
    await doomed.kill();
    expect(await machine.orders()).toEqual(NETWORK_FIRST);
    await anAgent(machine);
    await restored(machine);
  });

  it('is kept after a client has requested a boot, with any result', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride(pxeOnce, requester, 600_000);
    expect((await machine.bmcObject()).status?.bootOverride?.expires).toBeDefined();
    await expect(agent.machine.power('PowerCycle', requester)).rejects.toMatchObject({ code: 'InvalidState' });
    await eventually(async () => {
      expect((await machine.bmcObject()).status?.bootOverride).toMatchObject({ target: 'Pxe' });
      expect((await machine.bmcObject()).status?.bootOverride?.expires).toBeUndefined();
    });
    expect(agent.machine.bootOverride()).toEqual(pxeOnce);
  });
});

/** The error of kube-apiserver when virt-api is unavailable. */
const WEBHOOK_AWAY = {
  status: 500,
  message:
    'Internal error occurred: failed calling webhook "virtualmachine-validator.kubevirt.io": failed to call webhook: ' +
    'Post "https://virt-api.kubevirt.svc:443/virtualmachines-validate?timeout=10s": dial tcp 10.0.0.7:443: connect: connection refused',
};

const isVmPatch = (method: string, path: string): boolean => method === 'PATCH' && path.includes('/virtualmachines/');

describe('a failed boot override', () => {
  it('because virt-api is unavailable is not applied when virt-api is back', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    agent.transport.answers = (method, path) => (isVmPatch(method, path) ? WEBHOOK_AWAY : undefined);
    await expect(agent.machine.setBootOverride(pxeOnce, requester)).rejects.toMatchObject({ code: 'Unavailable' });
    expect((await machine.bmcObject()).status?.bootOverride).toBeUndefined();
    expect(agent.machine.bootOverride()).toBeUndefined();

    agent.transport.answers = () => undefined;
    await agent.machine.power('On', requester);
    expect(await bootOrders(machine, await machine.running())).toEqual(ORIGINAL);
    expect(await machine.orders()).toEqual(ORIGINAL);
  });

  it('because the response is lost is reported as unknown in an Event, and can be cleared', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    agent.transport.losesAnswer = isVmPatch;
    await expect(agent.machine.setBootOverride(pxeOnce, requester)).rejects.toMatchObject({ code: 'Unavailable' });
    agent.transport.losesAnswer = () => false;
    await eventually(async () => {
      await agent.events.flush();
      const { items } = await world.client.list(EVENTS, { namespace });
      const told = items.filter(({ involvedObject }) => involvedObject.name === machine.bmc.name);
      expect(told.find(({ reason }) => reason === 'BootOverrideSetUnknown')).toMatchObject({
        type: 'Warning',
        message: expect.stringContaining('Unknown outcome: boot once from the network, as ') as string,
      });
    });
    await agent.machine.setBootOverride(undefined, requester);
    await restored(machine);
  });
});

describe('a boot override of objects that are restored without status', () => {
  it('is reported, ends with its boot, and leaves the original order', async () => {
    const machine = await aMachine();
    const doomed = await anAgent(machine);
    await doomed.machine.setBootOverride(pxeOnce, requester);
    await doomed.kill();
    await restoreWithoutStatus(world.client, VIRTUAL_MACHINE_BMCS, machine.bmc);
    await restoreWithoutStatus(world.client, VIRTUAL_MACHINES, machine.ref);
    const heir = await anAgent(machine);
    expect(heir.machine.bootOverride()).toEqual(pxeOnce);
    await eventually(async () => {
      expect((await machine.bmcObject()).status?.bootOverride).toMatchObject({ target: 'Pxe', mode: 'Oneshot' });
    });
    await heir.machine.power('On', requester);
    expect(await bootOrders(machine, await machine.running())).toEqual(NETWORK_FIRST);
    await restored(machine);
    expect((await machine.vm()).metadata.annotations ?? {}).not.toHaveProperty([BOOT_OVERRIDE_ANNOTATION]);
  });
});

/** Two writes set the override, one powers on, two restore it; writes of the power state occur between them. */
const DEATHS = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((writes) => [
  { writes, when: 'before' as const },
  { writes, when: 'after' as const },
]);

describe('a killed agent', { concurrent: true }, () => {
  it.each(DEATHS)(
    '$when its write $writes leaves its successor an override to keep or a restored order',
    async ({ writes, when }) => {
      const machine = await aMachine();
      const doomed = await anAgent(machine);
      await eventually(async () => {
        expect((await machine.bmcObject()).status?.powerState).toBe('Off');
      });
      // Events and the event log are written at any time.
      const counts = (method: string, path: string) => method !== 'GET' && !/events|configmaps/.test(path);
      doomed.transport.killAfter(writes, when, counts);
      let isPromised = false;
      try {
        await doomed.machine.setBootOverride(pxeOnce, requester);
        isPromised = true;
        await doomed.machine.power('On', requester);
        await machine.running();
        await eventually(async () => {
          if (!doomed.transport.isDead) expect((await machine.bmcObject()).status?.bootOverride).toBeUndefined();
        });
      } catch {
        expect(doomed.transport.isDead).toBe(true);
      }
      await doomed.kill();

      const heir = await anAgent(machine);
      // Checked before the agent knows whether there is a VMI: a new VMI in between would end the override.
      const override = heir.machine.bootOverride();
      if ((await machine.vmi()) === undefined) {
        if (isPromised) expect(override).toEqual(pxeOnce);
        await heir.machine.power('On', requester);
      }
      const booted = await machine.running();
      if (isPromised) expect(await bootOrders(machine, booted)).toEqual(NETWORK_FIRST);
      await restored(machine);
      await heir.machine.power('PowerCycle', requester);
      expect(await bootOrders(machine, await machine.running(booted))).toEqual(ORIGINAL);
      await heir.close();
    },
  );
});
