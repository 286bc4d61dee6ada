import { describe, expect, it } from 'vitest';
import type { BootOverride } from '../../../../protocols/machine/index.ts';
import { BootWorld, firstDevice } from '../../testing/boot-world.ts';

describe('a boot override', () => {
  it.each<[string, Partial<BootOverride>]>([
    ['firmware that cannot', { firmware: 'Legacy' }],
    ['a URI of something else', { uri: 'tftp://10.0.0.1/x' }],
    ['a URI with blanks', { uri: 'http://10.0.0.1/a b' }],
    ['an invalid URI', { uri: 'http://[' }],
    ['a URI that no packet has room for', { uri: `http://10.0.0.1/${'x'.repeat(1010)}` }],
  ])('over HTTP with %s is refused without any change', async (_, more) => {
    const world = new BootWorld();
    const before = structuredClone([world.api.bmc, world.api.vm]);
    await expect(world.set({ device: 'UefiHttp', persistence: 'Once', ...more })).rejects.toMatchObject({
      code: 'NotSupported',
    });
    expect([world.api.bmc, world.api.vm]).toEqual(before);
  });
});

describe('repeated writes of a boot override', () => {
  const pxe: BootOverride = { device: 'Pxe', persistence: 'Once' };

  it('report a change only if the override differs or is cleared', async () => {
    const world = new BootWorld();
    expect(await world.clear()).toBe(false);
    expect([await world.set(pxe), await world.set(pxe)]).toEqual([true, false]);
    // A new expiry is written, but is not a different override.
    expect(await world.set(pxe, { lapses: true })).toBe(false);
    expect(await world.set({ ...pxe, instance: 2 })).toBe(true);
    expect(await world.set({ ...pxe, persistence: 'Continuous' })).toBe(true);
    expect([await world.clear(), await world.clear()]).toEqual([true, false]);
  });

  it('report a change after another client removed the override from the template', async () => {
    const world = new BootWorld();
    await world.set(pxe);
    world.api.edit((vm) => (vm.spec = structuredClone(world.original.spec)));
    expect(await world.set(pxe)).toBe(true);
    expect(world.inForce).toEqual(pxe);
  });

  it('report a change of the boot order, with or without an override in force', async () => {
    const world = new BootWorld();
    const order = ['interface:second', 'disk:root'];
    expect([await world.setOrder(order), await world.setOrder(order)]).toEqual([true, false]);
    await world.set(pxe);
    expect([await world.setOrder(['disk:root']), await world.setOrder(['disk:root'])]).toEqual([true, false]);
  });
});

describe("the machine's own boot order", () => {
  const order = ['interface:second', 'disk:root'];

  it('is set by a client, and cleared by an empty list', async () => {
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

  it('is set after the override has booted, even before the agent has noticed it', async () => {
    const world = new BootWorld();
    await world.set({ device: 'Pxe', persistence: 'Once' });
    await world.live({ step: { do: 'boot', andSettle: false }, killed: undefined });
    await world.live({ step: { do: 'set order', order }, killed: undefined });
    expect(world.api.bmc.status?.bootOverride).toBeUndefined();
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it.each([[['disk:none']], [['disk:root', 'disk:root']], [['interface']]])('refuses %j', async (none) => {
    const world = new BootWorld();
    await expect(world.setOrder(none)).rejects.toMatchObject({ code: 'NotSupported' });
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it('reads as written while the watch is stale, and as others changed it afterwards', async () => {
    const world = new BootWorld();
    const before = structuredClone(world.api.vm);
    expect(world.latest(before)).toBe(before);
    await world.setOrder(order);
    expect(firstDevice(before)).toBe('disk:root');
    expect(firstDevice(world.latest(before))).toBe('interface:second');
    world.api.edit((vm) => (vm.spec.template.spec.domain.devices.disks = []));
    expect(world.latest(world.api.vm)).toBe(world.api.vm);
    // A new object of the same name does not inherit it.
    const another = { ...before, metadata: { ...before.metadata, uid: 'another' } };
    expect(world.latest(another)).toBe(another);
  });

  it('cannot be changed on a machine that is being deleted', async () => {
    const world = new BootWorld();
    world.api.edit((vm) => (vm.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'));
    await expect(world.setOrder([])).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
