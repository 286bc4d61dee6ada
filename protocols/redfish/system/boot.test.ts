import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { CALLER } from '../testing/index.ts';
import { SystemUnderTest } from '../testing/system-under-test.ts';
import { CHASSIS, SYSTEM } from '../uris.ts';

let system: SystemUnderTest;

beforeEach(() => {
  system = new SystemUnderTest();
});

const TARGETS = ['None', 'Pxe', 'Hdd', 'Cd', 'Usb', 'BiosSetup', 'UefiHttp', 'UefiTarget', 'UefiBootNext'];
const NONE = {
  BootSourceOverrideEnabled: 'Disabled',
  BootSourceOverrideTarget: 'None',
  BootSourceOverrideMode: 'UEFI',
};

/** A new system with these changes of `Boot`. */
async function patched(...changes: JsonObject[]): Promise<SystemUnderTest> {
  system = new SystemUnderTest();
  for (const change of changes) await system.patch({ Boot: change });
  return system;
}

function boot(enabled: string, target: string, mode = 'UEFI'): JsonObject {
  return { BootSourceOverrideEnabled: enabled, BootSourceOverrideTarget: target, BootSourceOverrideMode: mode };
}

describe('Boot without an override', () => {
  it('is disabled, with the firmware’s mode', async () => {
    expect(await system.boot()).toEqual({
      ...NONE,
      HttpBootUri: null,
      UefiTargetBootSourceOverride: null,
      BootNext: null,
      BootOptions: { '@odata.id': `${SYSTEM}/BootOptions` },
      BootOrder: ['Boot2001', 'Boot0001'],
    });
  });

  it('lists the allowable values', async () => {
    expect((await system.get())?.['Boot']).toMatchObject({
      'BootSourceOverrideTarget@Redfish.AllowableValues': TARGETS,
      'BootSourceOverrideEnabled@Redfish.AllowableValues': ['Disabled', 'Once', 'Continuous'],
      'BootSourceOverrideMode@Redfish.AllowableValues': ['UEFI', 'Legacy'],
      'UefiTargetBootSourceOverride@Redfish.AllowableValues': [
        'Boot0001',
        'Boot0002',
        'Boot1001',
        'MAC(02000000000A,0x1)',
        'Boot2002',
      ],
    });
  });
});

describe('a PATCH of Boot', () => {
  it.each([
    ['only a target', [{ BootSourceOverrideTarget: 'Hdd' }], boot('Once', 'Hdd')],
    [
      'only a target while another one is set',
      [boot('Continuous', 'Pxe'), { BootSourceOverrideTarget: 'Cd' }],
      boot('Continuous', 'Cd'),
    ],
    ['only a duration', [boot('Once', 'Pxe'), { BootSourceOverrideEnabled: 'Continuous' }], boot('Continuous', 'Pxe')],
    ['a duration before the target', [{ BootSourceOverrideEnabled: 'Continuous' }], boot('Continuous', 'None')],
    [
      'a duration, then the target',
      [{ BootSourceOverrideEnabled: 'Continuous' }, { BootSourceOverrideTarget: 'Pxe' }],
      boot('Continuous', 'Pxe'),
    ],
    ['only a mode, as Ironic sends it', [{ BootSourceOverrideMode: 'Legacy' }], boot('Disabled', 'None', 'Legacy')],
    [
      'a mode, then the target',
      [{ BootSourceOverrideMode: 'Legacy' }, { BootSourceOverrideTarget: 'Pxe' }],
      boot('Once', 'Pxe', 'Legacy'),
    ],
    [
      'a disabled target, then a duration',
      [boot('Disabled', 'Pxe'), { BootSourceOverrideEnabled: 'Once' }],
      boot('Once', 'Pxe'),
    ],
    ['only Disabled', [boot('Once', 'Pxe'), { BootSourceOverrideEnabled: 'Disabled' }], boot('Disabled', 'None')],
    ['only None', [boot('Continuous', 'Pxe'), { BootSourceOverrideTarget: 'None' }], boot('Disabled', 'None')],
  ])('with %s is read back as set', async (_name, changes, after) => {
    await patched(...changes);
    expect(await system.boot()).toMatchObject(after);
  });

  it.each(
    ['Disabled', 'Once', 'Continuous'].flatMap((enabled) =>
      TARGETS.flatMap((target) => ['UEFI', 'Legacy'].map((mode) => [enabled, target, mode] as const)),
    ),
  )('with %s, %s, %s is read back or refused, whatever was set before', async (...triple) => {
    const wanted = boot(...triple);
    for (const before of [boot('Continuous', 'Cd', 'Legacy'), boot('Once', 'UefiHttp'), boot('Disabled', 'Hdd')]) {
      await patched({ BootNext: 'Boot0002', UefiTargetBootSourceOverride: 'Boot2002' }, before);
      const refusals = ['Continuous UefiBootNext UEFI', 'Continuous UefiBootNext Legacy'];
      const isRefused = [...refusals, 'Once UefiHttp Legacy', 'Continuous UefiHttp Legacy'].includes(triple.join(' '));
      if (isRefused) await expect(system.patch({ Boot: wanted })).rejects.toMatchObject({ status: 400 });
      const told = isRefused ? [] : await system.patch({ Boot: wanted });
      // The mode of an override that ends.
      const end = told?.length === 1 ? { ...wanted, BootSourceOverrideMode: 'UEFI' } : wanted;
      expect(await system.boot()).toMatchObject(isRefused ? before : end);
    }
  });

  it('sets the machine’s override with the requester', async () => {
    const { machine } = await patched(boot('Once', 'Pxe', 'Legacy'));
    expect(machine.calls).toEqual([
      {
        kind: 'bootOverride',
        override: { device: 'Pxe', persistence: 'Once', firmware: 'Legacy' },
        requester: CALLER.requester,
      },
    ]);
  });

  it('keeps the machine’s firmware without a mode', async () => {
    const { machine } = await patched({ BootSourceOverrideTarget: 'Cd' });
    expect(machine.bootOverride()).toEqual({ device: 'Cd', persistence: 'Once' });
  });

  it('repeats the same override at the machine, because it may be about to expire', async () => {
    const { machine } = await patched(boot('Once', 'Pxe'), { BootSourceOverrideTarget: 'Pxe' });
    expect(machine.calls).toHaveLength(2);
  });

  it('does not call the machine if there is nothing to clear', async () => {
    const { machine, bmc } = await patched({ BootSourceOverrideEnabled: 'Disabled', BootSourceOverrideTarget: 'None' });
    expect(machine.calls).toEqual([]);
    expect(bmc.state.current()).toEqual({});
  });

  it('stores nothing that the machine itself shows', async () => {
    const { bmc } = await patched({ BootSourceOverrideMode: 'Legacy' }, boot('Once', 'Pxe'));
    expect(bmc.state.current()).toEqual({});
  });

  it.each(['On', 'ForceRestart', 'PowerCycle'])('for one boot is consumed by %s', async (type) => {
    await patched(boot('Once', 'Pxe', 'UEFI'));
    system.machine.state = 'Off';
    await system.reset(type);
    expect(await system.boot()).toMatchObject(NONE);
  });

  it('for all boots stays', async () => {
    await patched(boot('Continuous', 'Pxe'));
    await system.reset('PowerCycle');
    expect(await system.boot()).toMatchObject(boot('Continuous', 'Pxe'));
  });

  it('shows what another protocol has set since', async () => {
    await patched(boot('Disabled', 'Pxe'));
    await system.machine.setBootOverride({ device: 'Cd', persistence: 'Continuous' }, CALLER.requester);
    expect(await system.boot()).toMatchObject(boot('Continuous', 'Cd'));
  });

  it('answers 400 with the reason if the machine does not support it', async () => {
    system.machine.nextError = new MachineError('NotSupported', 'it has a liveness probe');
    await expect(system.patch({ Boot: boot('Once', 'BiosSetup') })).rejects.toMatchObject({
      status: 400,
      messages: [
        {
          MessageId: 'Base.1.19.PropertyValueNotInList',
          MessageArgs: ['BiosSetup', 'BootSourceOverrideTarget'],
          RelatedProperties: ['#/Boot/BootSourceOverrideTarget'],
          Resolution: 'it has a liveness probe',
        },
      ],
    });
    expect(await system.boot()).toMatchObject(NONE);
  });

  it('passes other machine errors on', async () => {
    system.machine.nextError = new MachineError('Busy', 'it is being migrated');
    await expect(system.patch({ Boot: boot('Once', 'Pxe') })).rejects.toMatchObject({ code: 'Busy' });
  });
});

describe('a boot mode without an override', () => {
  const LEGACY = { BootSourceOverrideMode: 'Legacy' };
  const bios = async (uri = '') => (await system.get(`${SYSTEM}/Bios${uri}`))?.['Attributes'];

  it('takes effect from the next boot on, and Boot and Bios say so', async () => {
    const { machine, bmc } = await patched(LEGACY);
    expect(machine.calls).toEqual([{ kind: 'bootMode', mode: 'Legacy', requester: CALLER.requester }]);
    expect(await system.boot()).toMatchObject({ ...NONE, ...LEGACY });
    expect(await bios()).toMatchObject({ BootMode: 'UEFI' });
    expect(await bios('/Settings')).toEqual({ BootMode: 'Legacy' });
    expect(bmc.state.current()).toEqual({});
    expect(bmc.audited).toEqual(['System: boot mode Legacy from the next boot on']);
    machine.parts = { ...machine.parts, firmware: 'Legacy' };
    expect(await bios('/Settings')).toEqual({});
  });

  it('that an earlier version only stored is neither shown nor used by a later override', async () => {
    await system.bmc.state.change(() => ({
      settings: { boot: { enabled: 'Disabled', target: 'None', mode: 'Legacy' } },
    }));
    expect(await system.boot()).toMatchObject(NONE);
    await system.patch({ Boot: { BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Continuous' } });
    expect(system.machine.bootOverride()).toEqual({ device: 'Hdd', persistence: 'Continuous' });
  });

  it('is the machine’s own beside an override that has chosen none, as Ironic leaves one for its next deployment', async () => {
    const { machine } = await patched({ BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Continuous' });
    await system.patch({ Boot: LEGACY });
    expect(machine.bootOverride()).toEqual({ device: 'Cd', persistence: 'Continuous' });
    expect(machine.bootMode()).toBe('Legacy');
    expect(await system.boot()).toMatchObject(boot('Continuous', 'Cd', 'Legacy'));
    await system.patch({ Boot: LEGACY });
    expect(machine.calls).toHaveLength(2);
  });

  it('is the mode of an override that has chosen one, or is written with its target or duration', async () => {
    const { machine } = await patched(boot('Once', 'Pxe', 'UEFI'), LEGACY);
    expect(machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Once', firmware: 'Legacy' });
    await patched({ BootSourceOverrideTarget: 'Pxe' }, { BootSourceOverrideEnabled: 'Continuous', ...LEGACY });
    expect(system.machine.bootOverride()).toEqual({ device: 'Pxe', persistence: 'Continuous', firmware: 'Legacy' });
    expect([machine.bootMode(), system.machine.bootMode()]).toEqual(['UEFI', 'UEFI']);
  });

  it('does not stay from an override that ends, when a client sends back all of Boot', async () => {
    await patched(boot('Once', 'Pxe', 'Legacy'));
    expect(await system.patch({ Boot: boot('Disabled', 'None', 'Legacy') })).toMatchObject([
      {
        MessageId: 'Base.1.19.PropertyValueModified',
        MessageArgs: ['BootSourceOverrideMode', 'UEFI'],
        RelatedProperties: ['#/Boot/BootSourceOverrideMode'],
      },
    ]);
    expect(await system.boot()).toMatchObject(NONE);
    expect(system.machine.bootMode()).toBe('UEFI');
  });

  it('is not stored if the machine refuses it', async () => {
    system.machine.nextError = new MachineError('InvalidState', 'KubeVirt refuses it');
    await expect(system.patch({ Boot: LEGACY })).rejects.toMatchObject({ code: 'InvalidState' });
    expect(await system.boot()).toMatchObject(NONE);
    expect(system.bmc.audited).toEqual([]);
  });
});

describe('UefiHttp', () => {
  it('boots from HttpBootUri; null and an empty URI clear it', async () => {
    const uri = 'https://boot.example/shim.efi';
    await patched({ ...boot('Once', 'UefiHttp'), HttpBootUri: uri });
    expect(system.machine.bootOverride()).toEqual({ device: 'UefiHttp', persistence: 'Once', firmware: 'UEFI', uri });
    expect(await system.boot()).toMatchObject({ ...boot('Once', 'UefiHttp'), HttpBootUri: uri });
    await system.patch({ Boot: { HttpBootUri: null } });
    expect(system.machine.bootOverride()).toEqual({ device: 'UefiHttp', persistence: 'Once', firmware: 'UEFI' });
    expect(await system.boot()).toMatchObject({ ...boot('Once', 'UefiHttp'), HttpBootUri: null });
    await system.patch({ Boot: { HttpBootUri: '' } });
    expect(await system.boot()).toMatchObject({ HttpBootUri: null });
  });

  it('keeps a URI that was set before the target', async () => {
    await patched({ HttpBootUri: 'http://a/b' });
    expect(await system.boot()).toMatchObject({ ...NONE, HttpBootUri: 'http://a/b' });
    await system.patch({ Boot: { BootSourceOverrideTarget: 'UefiHttp' } });
    expect(system.machine.bootOverride()).toMatchObject({ uri: 'http://a/b' });
    await system.patch({ Boot: { BootSourceOverrideTarget: 'Pxe' } });
    expect(system.machine.bootOverride()).not.toHaveProperty('uri');
  });

  it('leaves its UEFI to no other target, so that the next deployment of Ironic can choose the firmware', async () => {
    await patched({ BootSourceOverrideTarget: 'UefiHttp', BootSourceOverrideEnabled: 'Continuous' });
    await system.patch({ Boot: { BootSourceOverrideTarget: 'Cd' } });
    expect(system.machine.bootOverride()).toEqual({ device: 'Cd', persistence: 'Continuous' });
    await system.patch({ Boot: { BootSourceOverrideMode: 'Legacy' } });
    expect(system.machine.bootMode()).toBe('Legacy');
  });

  it('uses UEFI, also after another mode', async () => {
    await patched(boot('Once', 'Pxe', 'Legacy'), { BootSourceOverrideTarget: 'UefiHttp' });
    expect(system.machine.bootOverride()).toMatchObject({ firmware: 'UEFI' });
    expect(await system.boot()).toMatchObject(boot('Once', 'UefiHttp', 'UEFI'));
    await expect(patched(boot('Once', 'UefiHttp', 'Legacy'))).rejects.toMatchObject({
      status: 400,
      messages: [{ MessageArgs: ['BootSourceOverrideMode', 'BootSourceOverrideTarget'] }],
    });
  });
});

describe('one of several devices', () => {
  it.each([
    ['UefiTarget', { UefiTargetBootSourceOverride: 'MAC(02000000000A,0x1)' }, { device: 'Pxe', instance: 1 }],
    ['UefiTarget', { UefiTargetBootSourceOverride: 'Boot2002' }, { device: 'Pxe', instance: 2 }],
    ['UefiBootNext', { BootNext: 'Boot0002' }, { device: 'Hdd', instance: 2 }],
  ])('is selected by %s with %o', async (target, name, device) => {
    await patched({ BootSourceOverrideTarget: target, ...name });
    expect(system.machine.bootOverride()).toEqual({ ...device, persistence: 'Once' });
    expect(await system.boot()).toMatchObject({ ...boot('Once', target), ...name });
  });

  it('can be named before the target', async () => {
    await patched({ BootNext: 'Boot1001' }, { BootSourceOverrideTarget: 'UefiBootNext' });
    expect(system.machine.bootOverride()).toMatchObject({ device: 'Cd', instance: 1 });
    await system.patch({ Boot: { ...boot('Disabled', 'None'), BootNext: null } });
    expect(await system.boot()).toMatchObject({ ...NONE, BootNext: null });
  });

  it('is shown as UefiTarget if another protocol selected it', async () => {
    const persistence = 'Once';
    await system.machine.setBootOverride({ device: 'Pxe', persistence, instance: 1 }, CALLER.requester);
    expect(await system.boot()).toMatchObject({ UefiTargetBootSourceOverride: 'MAC(02000000000A,0x1)' });
    await system.machine.setBootOverride({ device: 'Hdd', persistence, instance: 2 }, CALLER.requester);
    expect(await system.boot()).toMatchObject({
      ...boot('Once', 'UefiTarget'),
      UefiTargetBootSourceOverride: 'Boot0002',
    });
    await system.machine.setBootOverride({ device: 'Hdd', persistence, instance: 9 }, CALLER.requester);
    expect(await system.boot()).toMatchObject({ ...boot('Once', 'Hdd'), UefiTargetBootSourceOverride: null });
  });

  it('is forgotten with the override', async () => {
    await patched({ BootSourceOverrideTarget: 'UefiBootNext', BootNext: 'Boot0002' });
    system.machine.options = [];
    await system.machine.setBootOverride(undefined, CALLER.requester);
    expect(await system.boot()).toMatchObject(NONE);
  });

  it('is selected by BootNext for one boot only', async () => {
    const next = { BootSourceOverrideTarget: 'UefiBootNext', BootNext: 'Boot0002' };
    await patched(boot('Continuous', 'Pxe'), next);
    expect(system.machine.bootOverride()).toMatchObject({ persistence: 'Once' });
    await expect(patched({ ...next, BootSourceOverrideEnabled: 'Continuous' })).rejects.toMatchObject({
      messages: [{ MessageArgs: ['BootSourceOverrideEnabled', 'BootSourceOverrideTarget'] }],
    });
  });

  it.each([
    [{ BootNext: 'Boot0009' }, ['Boot0009', 'BootNext']],
    [{ UefiTargetBootSourceOverride: 'HD(1)' }, ['HD(1)', 'UefiTargetBootSourceOverride']],
    [{ BootSourceOverrideTarget: 'UefiTarget' }, ['BootSourceOverrideTarget', 'UefiTargetBootSourceOverride']],
    [{ BootSourceOverrideTarget: 'UefiBootNext' }, ['BootSourceOverrideTarget', 'BootNext']],
    [{ BootOrder: ['Boot0001', 'Boot0009'] }, ['Boot0009', 'BootOrder']],
    [{ BootOrder: ['Boot0001', 'Boot0001'] }, ['Boot0001', 'BootOrder']],
  ])('is refused without any change if it does not exist: %o', async (change, args) => {
    await expect(system.patch({ AssetTag: 'a', Boot: change })).rejects.toMatchObject({
      status: 400,
      messages: [{ MessageArgs: args }],
    });
    expect(system.machine.calls).toEqual([]);
    expect(system.bmc.state.current()).toEqual({});
  });
});

describe('BootOrder', () => {
  it('consists of the named options, in order', async () => {
    await patched({ BootOrder: ['Boot0002', 'Boot2001'] });
    expect(system.machine.calls).toMatchObject([{ kind: 'bootOrder', options: ['disk:data', 'interface:default'] }]);
    expect(await system.boot()).toMatchObject({ ...NONE, BootOrder: ['Boot0002', 'Boot2001'] });
  });

  it('can be set together with an override', async () => {
    await patched({ ...boot('Once', 'Cd'), BootOrder: ['Boot0001'] });
    expect(await system.boot()).toMatchObject({ ...boot('Once', 'Cd'), BootOrder: ['Boot0001'] });
  });

  it.each([
    ['SetDefaultBootOrder', () => system.act('ComputerSystem.SetDefaultBootOrder')],
    ['an empty one', () => system.patch({ Boot: { BootOrder: [] } })],
  ])('is reset to the platform’s default by %s', async (_name, ask) => {
    await ask();
    expect(system.machine.calls).toEqual([{ kind: 'bootOrder', options: [], requester: CALLER.requester }]);
    expect(await system.boot()).toMatchObject({ BootOrder: [] });
  });
});

it('does not set an unchanged boot order when a client sends back all of Boot, as bmclib does', async () => {
  const { BootOrder = [] } = await system.boot();
  expect(BootOrder).toHaveLength(2);
  await system.patch({ Boot: { BootOrder, BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' } });
  expect(system.machine.calls.map(({ kind }) => kind)).toEqual(['bootOverride']);
});

describe('BootOptions', () => {
  it('have UEFI names and refer to their devices', async () => {
    expect(await system.get(`${SYSTEM}/BootOptions/Boot2001`)).toMatchObject({
      BootOptionReference: 'Boot2001',
      DisplayName: 'Network interface default',
      Alias: 'Pxe',
      UefiDevicePath: 'MAC(02000000000A,0x1)',
      RelatedItem: [{ '@odata.id': `${SYSTEM}/EthernetInterfaces/default` }],
    });
    expect(await system.get(`${SYSTEM}/BootOptions/Boot0002`)).toMatchObject({
      Alias: 'Hdd',
      UefiDevicePath: null,
      RelatedItem: [{ '@odata.id': `${CHASSIS}/Drives/data` }],
    });
    expect(await system.get(`${SYSTEM}/BootOptions/Boot1001`)).toMatchObject({ Alias: 'Cd', RelatedItem: [] });
  });
});
