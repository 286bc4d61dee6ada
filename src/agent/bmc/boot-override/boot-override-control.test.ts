import { describe, expect, it } from 'vitest';
import { httpBootOf } from '../../../api/index.ts';
import { MachineError, type BootOverride } from '../../../protocols/machine/index.ts';
import { BootWorld, firstDevice } from '../testing/boot-world.ts';

describe('a boot override', () => {
  it('is refused whole where KubeVirt has no such thing', async () => {
    const world = new BootWorld();
    const setup: BootOverride = { device: 'BiosSetup', persistence: 'Once' };
    const before = structuredClone(world.api.bmc);
    await expect(world.set(setup)).rejects.toThrow(MachineError);
    expect(world.api.bmc).toEqual(before);
  });

  it('over HTTP has UEFI firmware, and tells what it boots until it has', async () => {
    const world = new BootWorld();
    const uri = 'https://10.0.0.1/boot.iso?token=secret';
    await world.set({ device: 'UefiHttp', persistence: 'Once', uri });
    expect(world.inForce).toEqual({ device: 'UefiHttp', persistence: 'Once', firmware: 'UEFI', uri });
    expect(httpBootOf(world.api.vm.spec.template.metadata)).toEqual({ persistence: 'Once', uri });
    await world.live({ step: { do: 'boot', andSettle: true }, killed: undefined });
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it.each<[string, Partial<BootOverride>]>([
    ['firmware that cannot', { firmware: 'Legacy' }],
    ['a URI of something else', { uri: 'tftp://10.0.0.1/x' }],
    ['a URI with blanks', { uri: 'http://10.0.0.1/a b' }],
    ['a URI that is none', { uri: 'http://[' }],
    ['a URI that no packet has room for', { uri: `http://10.0.0.1/${'x'.repeat(1010)}` }],
  ])('over HTTP is refused whole with %s', async (_, more) => {
    const world = new BootWorld();
    const before = structuredClone([world.api.bmc, world.api.vm]);
    await expect(world.set({ device: 'UefiHttp', persistence: 'Once', ...more })).rejects.toMatchObject({
      code: 'NotSupported',
    });
    expect([world.api.bmc, world.api.vm]).toEqual(before);
  });
});

describe("the machine's own boot order", () => {
  const order = ['interface:second', 'disk:root'];

  it('is what a client makes it, and none where it names none', async () => {
    const world = new BootWorld();
    await world.live({ step: { do: 'set order', order }, killed: undefined });
    expect(world.own).toEqual({
      ...{ 'interface:second': 1, 'disk:root': 2 },
      ...{ 'cdrom:cd': 0, 'disk:second': 0, 'interface:default': 0 },
    });
    expect(world.api.vm.spec).toEqual(world.original.spec);
    await world.live({ step: { do: 'set order', order: [] }, killed: undefined });
    expect(Object.values(world.own)).toEqual([0, 0, 0, 0, 0]);
  });

  it('stands behind an override that is in force, and comes back after it', async () => {
    const world = new BootWorld();
    const override: BootOverride = { device: 'Cd', persistence: 'Once' };
    await world.set(override);
    await world.live({ step: { do: 'set order', order }, killed: undefined });
    expect(world.inForce).toEqual(override);
    expect(firstDevice(world.api.vm)).toBe('cdrom:cd');
    expect(world.own).toMatchObject({ 'interface:second': 1, 'disk:root': 2, 'cdrom:cd': 0 });
    await world.live({ step: { do: 'boot', andSettle: true }, killed: undefined });
    expect(world.api.vm.spec).toEqual(world.original.spec);
    expect(firstDevice(world.api.vm)).toBe('interface:second');
  });

  it.each([[['disk:none']], [['disk:root', 'disk:root']], [['interface']]])('is not %j', async (none) => {
    const world = new BootWorld();
    await expect(world.setOrder(none)).rejects.toMatchObject({ code: 'NotSupported' });
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it('is told as it was written while the watch is behind, and as others have made it once that is past it', async () => {
    const world = new BootWorld();
    const before = structuredClone(world.api.vm);
    expect(world.latest(before)).toBe(before);
    await world.setOrder(order);
    expect(firstDevice(before)).toBe('disk:root');
    expect(firstDevice(world.latest(before))).toBe('interface:second');
    world.api.edit((vm) => (vm.spec.template.spec.domain.devices.disks = []));
    expect(world.latest(world.api.vm)).toBe(world.api.vm);
    // Another of that name has nothing of it.
    const another = { ...before, metadata: { ...before.metadata, uid: 'another' } };
    expect(world.latest(another)).toBe(another);
  });

  it('is no more to be changed on a machine that goes', async () => {
    const world = new BootWorld();
    world.api.edit((vm) => (vm.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'));
    await expect(world.setOrder([])).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
