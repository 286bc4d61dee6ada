import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import { MemoryMachine } from '../../testing/index.ts';
import { CALLER } from '../testing/index.ts';
import { SystemUnderTest } from '../testing/system-under-test.ts';
import { REGISTRIES, SYSTEM } from '../uris.ts';

let system: SystemUnderTest;

beforeEach(() => {
  system = new SystemUnderTest();
});

const SETTINGS = `${SYSTEM}/Bios/Settings`;

describe('Bios', () => {
  it('shows the known firmware settings only', async () => {
    expect(await system.get(`${SYSTEM}/Bios`)).toMatchObject({ Attributes: { BootMode: 'UEFI', SecureBoot: true } });
    system.machine.parts = { ...system.machine.parts, firmware: undefined, secureBoot: undefined };
    expect(await system.get(`${SYSTEM}/Bios`)).toMatchObject({ Attributes: {} });
  });

  it('describes its attributes as read-only in a registry', async () => {
    expect(await system.get(`${REGISTRIES}/BiosAttributeRegistry.json`)).toMatchObject({
      RegistryEntries: {
        Attributes: [
          { AttributeName: 'BootMode', ReadOnly: true },
          { AttributeName: 'SecureBoot', ReadOnly: true },
        ],
      },
    });
  });

  it('gives the reason for each attribute that cannot be set', async () => {
    await expect(system.patch({ Attributes: { BootMode: 'Legacy', Turbo: true } }, SETTINGS)).rejects.toMatchObject({
      status: 400,
      messages: [
        { MessageId: 'Base.1.19.PropertyNotWritable', RelatedProperties: ['#/Attributes/BootMode'] },
        { MessageId: 'Base.1.19.PropertyUnknown', RelatedProperties: ['#/Attributes/Turbo'] },
      ],
    });
  });

  it('accepts a PATCH without attributes', async () => {
    expect(await system.patch({ Attributes: {} }, SETTINGS)).toBeUndefined();
    expect(await system.patch({}, SETTINGS)).toBeUndefined();
  });

  it('accepts a reset to defaults without effect', async () => {
    expect(await system.act('Bios.ResetBios', {}, `${SYSTEM}/Bios`)).toBeUndefined();
    expect(system.machine.calls).toEqual([]);
  });
});

describe('SecureBoot', () => {
  it.each([
    [{ secureBoot: true, firmware: 'UEFI' }, true, 'Enabled'],
    [{ secureBoot: false, firmware: 'UEFI' }, false, 'Disabled'],
    [{ firmware: 'Legacy' }, false, 'Disabled'],
    [{}, null, null],
  ] as const)('of %o is %s', async (firmware, enable, current) => {
    system.machine.parts = { ...new MemoryMachine().parts, ...firmware };
    system.machine.nextSecureBoot = 'secureBoot' in firmware ? firmware.secureBoot : undefined;
    expect(await system.get(`${SYSTEM}/SecureBoot`)).toMatchObject({
      SecureBootEnable: enable,
      SecureBootCurrentBoot: current,
    });
  });
});

it('SecureBoot has Actions, without which sushy fails with an AttributeError', async () => {
  expect(await system.get(`${SYSTEM}/SecureBoot`)).toMatchObject({ Actions: {} });
});

describe('SecureBootEnable', () => {
  const uri = `${SYSTEM}/SecureBoot`;

  it('is switched from the next boot and audited', async () => {
    system.machine.nextSecureBoot = true;
    await system.patch({ SecureBootEnable: false }, uri);
    expect(system.machine.calls).toEqual([{ kind: 'secureBoot', isOn: false, requester: CALLER.requester }]);
    expect(await system.get(uri)).toMatchObject({ SecureBootEnable: false, SecureBootCurrentBoot: 'Enabled' });
    await system.patch({ SecureBootEnable: true }, uri);
    await system.patch({ SecureBootEnable: true }, uri);
    expect(system.bmc.audited).toEqual([
      'Secure Boot was switched off from the next boot on',
      'Secure Boot was switched on from the next boot on',
    ]);
  });

  it('is not audited if the machine refuses it', async () => {
    system.machine.nextError = new MachineError('NotSupported', 'a BIOS has no Secure Boot');
    await expect(system.patch({ SecureBootEnable: true }, uri)).rejects.toThrow('a BIOS has no Secure Boot');
    expect(system.bmc.audited).toEqual([]);
  });
});
