import { describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINES } from '../../../api/index.ts';
import type { Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from './machine-scene.ts';
import type { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'Redfish', user: 'admin', address: '127.0.0.1' };

// Persistent firmware variables are stored in a volume.
const { world, aMachine, anAgent } = await machineScene(['kubevirt', 'cdi']);

describe('Secure Boot', () => {
  it('is enabled with the features that KubeVirt requires, and is in the next VMI', async () => {
    const machine = await aMachine();
    await giveUefi(machine);
    const { machine: bmc } = await anAgent(machine);
    await eventually(() => {
      expect(bmc.secureBoot()).toBe(false);
    });
    await bmc.power('On', requester);
    const first = await machine.running();
    await eventually(() => {
      expect(bmc.hardware().secureBoot).toBe(false);
    });

    await bmc.setSecureBoot(true, requester);
    // Immediately: a client reads back the value that it wrote, independent of the running instance.
    expect(bmc.secureBoot()).toBe(true);
    expect(bmc.hardware().secureBoot).toBe(false);
    const { domain } = (await machine.vm()).spec.template.spec;
    expect(domain).toMatchObject({
      features: { smm: { enabled: true } },
      firmware: { bootloader: { efi: { secureBoot: true, persistent: true } } },
    });
    // KubeVirt's reset would keep the VMI and its firmware.
    await bmc.power('ForceRestart', requester);
    const second = await machine.running(first);
    expect(second.spec.domain.firmware?.bootloader?.efi?.secureBoot).toBe(true);
    await eventually(() => {
      expect(bmc.hardware().secureBoot).toBe(true);
    });

    await bmc.setSecureBoot(false, requester);
    await bmc.setSecureBoot(false, requester);
    expect(bmc.secureBoot()).toBe(false);
  });

  it('cannot be enabled with BIOS firmware, and is reported as disabled', async () => {
    const machine = await aMachine();
    const { machine: bmc } = await anAgent(machine);
    const before = await machine.vm();
    await bmc.setSecureBoot(false, requester);
    await expect(bmc.setSecureBoot(true, requester)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining('needs UEFI') as string,
    });
    expect((await machine.vm()).spec).toEqual(before.spec);
    expect(bmc.secureBoot()).toBeUndefined();
  });

  it('reports the machine’s own firmware during an override with other firmware, and cannot be changed then', async () => {
    const machine = await aMachine();
    await giveUefi(machine);
    const { machine: bmc } = await anAgent(machine);
    await bmc.setBootOverride({ device: 'Pxe', persistence: 'Once', firmware: 'Legacy' }, requester);
    await eventually(() => {
      expect(bmc.secureBoot()).toBe(false);
    });
    await expect(bmc.setSecureBoot(true, requester)).rejects.toMatchObject({ code: 'InvalidState' });
    await bmc.setBootOverride(undefined, requester);
    await bmc.setSecureBoot(true, requester);
    expect(bmc.secureBoot()).toBe(true);
  });
});

describe('the boot mode', () => {
  it('set alone is the machine’s own from its next boot on, and the owner’s boot loader comes back with its mode', async () => {
    const machine = await aMachine();
    await giveUefi(machine);
    const { machine: bmc } = await anAgent(machine);
    await eventually(() => {
      expect(bmc.bootMode()).toBe('UEFI');
    });
    const before = (await machine.vm()).spec.template;
    await bmc.power('On', requester);
    const first = await machine.running();

    await bmc.setBootMode('Legacy', requester);
    expect(bmc.bootMode()).toBe('Legacy');
    await eventually(() => {
      expect(bmc.hardware().firmware).toBe('UEFI');
    });
    await bmc.power('ForceRestart', requester);
    const second = await machine.running(first);
    expect(second.spec.domain.firmware?.bootloader).toEqual({ bios: {} });
    await eventually(() => {
      expect(bmc.hardware().firmware).toBe('Legacy');
    });

    // An override of the device alone keeps the mode.
    await bmc.setBootOverride({ device: 'Hdd', persistence: 'Continuous' }, requester);
    expect((await machine.vm()).spec.template.spec.domain.firmware?.bootloader).toEqual({ bios: {} });
    await bmc.setBootOverride(undefined, requester);
    await bmc.setBootMode('UEFI', requester);
    expect((await machine.vm()).spec.template).toEqual(before);
  });

  it('is not the machine’s own while an override chooses it, also while the machine is off', async () => {
    const machine = await aMachine();
    const { machine: bmc } = await anAgent(machine);
    await bmc.setBootOverride({ device: 'Pxe', persistence: 'Once', firmware: 'UEFI' }, requester);
    expect([bmc.bootMode(), bmc.hardware().firmware]).toEqual(['Legacy', 'Legacy']);
    await expect(bmc.setBootMode('UEFI', requester)).rejects.toMatchObject({ code: 'InvalidState' });
  });
});

async function giveUefi({ ref }: TestMachine): Promise<void> {
  await world.client.patch(VIRTUAL_MACHINES, ref, 'merge', {
    spec: {
      template: { spec: { domain: { firmware: { bootloader: { efi: { secureBoot: false, persistent: true } } } } } },
    },
  });
}
