import { describe, expect, it } from 'vitest';
import {
  BOOT_OVERRIDE_ANNOTATION,
  FIRMWARE_SETUP_ANNOTATION,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { EVENTS } from '@groundcrew/controller-runtime';
import type { BootOverride, Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from './machine-scene.ts';
import type { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'Redfish', user: 'admin', address: '127.0.0.1' };
const once: BootOverride = { device: 'BiosSetup', persistence: 'Once' };
const always: BootOverride = { device: 'BiosSetup', persistence: 'Continuous' };

const { world, namespace, aMachine, anAgent, restored } = await machineScene();

function isPaused({ status }: VirtualMachineInstance): boolean {
  return status?.conditions?.some(({ type, status: holds }) => type === 'Paused' && holds === 'True') === true;
}

/** Resolves with the VMI after it was resumed. */
async function goneOn(machine: TestMachine, than?: VirtualMachineInstance): Promise<VirtualMachineInstance> {
  return await eventually(async () => {
    const vmi = await machine.running(than);
    expect(isPaused(vmi)).toBe(false);
    expect((await machine.bmcObject()).status?.firmwareSetup?.vmiUID).toBe(vmi.metadata.uid);
    return vmi;
  });
}

async function ask(machine: TestMachine, subresource: 'pause' | 'unpause'): Promise<void> {
  await world.client.request({
    method: 'PUT',
    path: `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${machine.ref.name}/${subresource}`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
}

describe('a boot override to the firmware setup', () => {
  it('for one boot starts the machine paused, resumes it, and leaves the VM unchanged', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const before = (await machine.vm()).spec;
    await agent.machine.setBootOverride(once, requester);
    expect(agent.machine.bootOverride()).toEqual(once);
    expect((await machine.vm()).spec.template).toMatchObject({
      metadata: { annotations: { [FIRMWARE_SETUP_ANNOTATION]: 'Once' } },
      spec: { startStrategy: 'Paused' },
    });

    await agent.machine.power('On', requester);
    const first = await goneOn(machine);
    expect(first.spec.startStrategy).toBe('Paused');
    await restored(machine);
    expect((await machine.vm()).spec).toEqual(before);
    await expect.poll(() => agent.machine.powerState()).toBe('On');
    await eventually(async () => {
      await agent.events.flush();
      const { items } = await world.client.list(EVENTS, { namespace });
      const told = items.filter(({ involvedObject }) => involvedObject.name === machine.bmc.name);
      expect(told.map(({ reason }) => reason)).toEqual(
        expect.arrayContaining(['BootOverrideSet', 'BootOrderRestored', 'FirmwareSetupOffered']),
      );
    });

    await ask(machine, 'pause');
    await expect.poll(() => agent.machine.powerState()).toBe('Paused');
    await agent.machine.power('Resume', requester);
    await agent.machine.power('ForceRestart', requester);
    const second = await machine.running(first);
    expect(second.spec).not.toHaveProperty('startStrategy');
    expect(isPaused(second)).toBe(false);
  });

  it('that is continuous applies to every start, and the next agent resumes the machine if one was killed', async () => {
    const machine = await aMachine();
    const doomed = await anAgent(machine);
    await doomed.machine.setBootOverride(always, requester);
    await doomed.machine.power('On', requester);
    const first = await goneOn(machine);
    await doomed.machine.power('PowerCycle', requester);
    await doomed.kill();
    const second = await machine.running(first);
    expect(isPaused(second)).toBe(true);

    const heir = await anAgent(machine);
    expect(heir.machine.bootOverride()).toEqual(always);
    await goneOn(machine, first);
    await ask(machine, 'pause');
    await heir.kill();
    const third = await anAgent(machine);
    await expect.poll(() => third.machine.powerState()).toBe('Paused');
    await third.machine.setBootOverride(undefined, requester);
    await restored(machine);
    expect(isPaused(await machine.running())).toBe(true);
  });

  it('stores on the VM what is needed to undo it, and a copy in the status', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const before = (await machine.vm()).spec.template;
    // An apply removes all fields of the previous override.
    await agent.machine.setBootOverride({ device: 'Pxe', persistence: 'Once' }, requester);
    await agent.machine.setBootOverride(always, requester);
    const { uid: vmUID, annotations } = (await machine.vm()).metadata;
    const saved = { mode: 'Persistent', target: 'BiosSetup', vmiUID: '', originalStartStrategy: 'None' };
    expect(JSON.parse(annotations?.[BOOT_OVERRIDE_ANNOTATION] ?? '')).toEqual(saved);
    const shown = (await machine.bmcObject()).status?.bootOverride;
    expect(shown).toEqual({ ...saved, vmUID, savedIn: 'VirtualMachine' });
    await agent.machine.setBootOverride({ device: 'Cd', persistence: 'Continuous' }, requester);
    await agent.machine.setBootOverride(once, requester);
    await agent.machine.setBootOverride(undefined, requester);
    expect((await machine.vm()).spec.template).toEqual(before);
    expect((await world.client.get(VIRTUAL_MACHINE_BMCS, machine.bmc)).status?.bootOverride).toBeUndefined();
  });

  it('is refused with the reason if the machine has a liveness probe', async () => {
    const machine = await aMachine();
    await world.client.patch(VIRTUAL_MACHINES, machine.ref, 'json', [
      { op: 'add', path: '/spec/template/spec/livenessProbe', value: { tcpSocket: { port: 22 } } },
    ]);
    const agent = await anAgent(machine);
    await expect(agent.machine.setBootOverride(once, requester)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining('liveness probe') as string,
    });
    expect((await machine.bmcObject()).status?.bootOverride).toBeUndefined();
  });
});

describe('a machine that its owner starts paused', () => {
  it('stays paused', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await world.client.patch(VIRTUAL_MACHINES, machine.ref, 'json', [
      { op: 'add', path: '/spec/template/spec/startStrategy', value: 'Paused' },
    ]);
    await agent.machine.power('On', requester);
    await machine.running();
    await eventually(async () => {
      expect((await machine.bmcObject()).status?.powerState).toBe('Paused');
    });
    expect(agent.machine.powerState()).toBe('Paused');
  });
});
