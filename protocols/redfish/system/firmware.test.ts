import { describe, expect, it } from 'vitest';
import { SystemUnderTest } from '../testing/system-under-test.ts';
import { REGISTRIES, SYSTEM } from '../uris.ts';

const SETTINGS = `${SYSTEM}/Bios/Settings`;

describe('Bios', () => {
  it('shows the known firmware settings only', async () => {
    const system = new SystemUnderTest();
    expect(await system.get(`${SYSTEM}/Bios`)).toMatchObject({ Attributes: { BootMode: 'UEFI', SecureBoot: true } });
    system.machine.parts = { ...system.machine.parts, firmware: undefined, secureBoot: undefined };
    expect(await system.get(`${SYSTEM}/Bios`)).toMatchObject({ Attributes: {} });
  });

  it('describes its attributes as read-only in a registry', async () => {
    expect(await new SystemUnderTest().get(`${REGISTRIES}/BiosAttributeRegistry.json`)).toMatchObject({
      RegistryEntries: {
        Attributes: [
          { AttributeName: 'BootMode', ReadOnly: true },
          { AttributeName: 'SecureBoot', ReadOnly: true },
        ],
      },
    });
  });

  it('gives the reason for each attribute that cannot be set', async () => {
    await expect(
      new SystemUnderTest().patch({ Attributes: { BootMode: 'Legacy', Turbo: true } }, SETTINGS),
    ).rejects.toMatchObject({
      status: 400,
      messages: [
        { MessageId: 'Base.1.19.PropertyNotWritable', RelatedProperties: ['#/Attributes/BootMode'] },
        { MessageId: 'Base.1.19.PropertyUnknown', RelatedProperties: ['#/Attributes/Turbo'] },
      ],
    });
  });

  it('accepts a PATCH without attributes', async () => {
    expect(await new SystemUnderTest().patch({ Attributes: {} }, SETTINGS)).toBeUndefined();
    expect(await new SystemUnderTest().patch({}, SETTINGS)).toBeUndefined();
  });

  it('accepts a reset to defaults without effect', async () => {
    const system = new SystemUnderTest();
    expect(await system.act('Bios.ResetBios', {}, `${SYSTEM}/Bios`)).toBeUndefined();
    expect(system.machine.calls).toEqual([]);
  });
});
