import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownOverrideOf } from '../../../../api/index.ts';
import type { BootOverride } from '../../../../protocols/machine/index.ts';
import { BootWorld, firstDevice, LAPSE_AFTER, restored, type Life, type Step } from '../../testing/boot-world.ts';

/** Factor of the number of random runs: CI makes five times as many as a developer's machine. */
const RUNS = process.env.CI === 'true' ? 10 : 2;

const override: fc.Arbitrary<BootOverride> = fc.record(
  {
    device: fc.constantFrom('Pxe', 'Hdd', 'Cd', 'Usb', 'UefiHttp', 'BiosSetup'),
    persistence: fc.constantFrom('Once', 'Continuous'),
    firmware: fc.constantFrom('UEFI', 'Legacy'),
    instance: fc.constantFrom(1, 2, 3),
    uri: fc.constantFrom('http://10.0.0.1/a.efi', 'https://[2001:db8::1]/b.iso'),
  },
  { requiredKeys: ['device', 'persistence'] },
);

const once: BootOverride = { device: 'Pxe', persistence: 'Once' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('set'), override, lapses: fc.boolean() }),
  fc.record({ do: fc.constantFrom('clear', 'settle', 'pause', 'resume') }),
  fc.record({ do: fc.constant('downgrade'), prunesOnly: fc.boolean() }),
  fc.record({
    do: fc.constant('set order'),
    order: fc.constantFrom([], ['interface:default', 'disk:root'], ['cdrom:cd'], ['disk:root', 'disk:second']),
  }),
  fc.record({ do: fc.constant('set mode'), mode: fc.constantFrom('UEFI', 'Legacy') }),
  fc.record({ do: fc.constant('boot'), andSettle: fc.boolean() }),
  fc.record({ do: fc.constant('power off') }),
  fc.record({ do: fc.constant('ask for a boot'), boots: fc.boolean() }),
  fc.record({ do: fc.constant('time passes'), milliseconds: fc.constantFrom(LAPSE_AFTER / 2, LAPSE_AFTER) }),
);

const edit: fc.Arbitrary<Step> = fc.record({ do: fc.constantFrom('add disk', 'remove drive') });

function lives(of: fc.Arbitrary<Step>): fc.Arbitrary<Life[]> {
  const killed = fc.record({ after: fc.nat(6), when: fc.constantFrom('before', 'after', 'restored') });
  return fc.array(fc.record({ step: of, killed: fc.option(killed, { nil: undefined }) }), {
    minLength: 1,
    maxLength: 8,
  });
}

/** The comparison by `expect` alone takes most of the time of this test. */
function expectRestored(world: BootWorld): void {
  const spec = restored(world);
  if (!isDeepStrictEqual(spec, world.original.spec)) expect(spec).toEqual(world.original.spec);
}

/** A pending override stays until the next boot; a one-time override is gone after it. */
async function comesToRest(world: BootWorld): Promise<void> {
  await world.settle();
  const atRest = structuredClone(world.api.bmc.status);
  await world.settle();
  expect(world.api.bmc.status).toEqual(atRest);
  const saved = world.api.bmc.status?.bootOverride;
  expect(saved).toEqual(shownOverrideOf(world.api.vm));
  if (saved === undefined) expect(world.api.vm.spec).toEqual(world.original.spec);
  if (saved?.expires !== undefined) {
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    expect(world.inForce).toBeUndefined();
    await world.settle();
    expect(world.api.bmc.status?.bootOverride).toBeUndefined();
    expect(world.api.vm.spec).toEqual(world.original.spec);
    return;
  }

  await world.live({ step: { do: 'power off' }, killed: undefined });
  await world.live({ step: { do: 'boot', andSettle: true }, killed: undefined });
  if (saved?.mode === 'Persistent') await world.live({ step: { do: 'clear' }, killed: undefined });
  expect(world.api.bmc.status?.bootOverride).toBeUndefined();
  expect(world.api.vm.spec).toEqual(world.original.spec);
  expect(world.api.vm.metadata.annotations ?? {}).toEqual(world.original.metadata.annotations ?? {});
}

describe('a boot override whose agent is killed, or restored without status, between any two requests', () => {
  it('keeps the original order and its promise, and reaches a final state', async () => {
    await fc.assert(
      fc.asyncProperty(lives(step), fc.boolean(), fc.boolean(), async (all, networkFirst, startsPaused) => {
        const world = new BootWorld({ networkFirst, startsPaused });
        for (const one of all) {
          await world.live(one);
          expectRestored(world);
        }
        await comesToRest(world);
      }),
      { numRuns: 100 * RUNS },
    );
  }, 60_000);

  it('does so for a VM with devices that KubeVirt adds', async () => {
    const withoutDrive = step.filter((one) => one.do !== 'set order' || !one.order.includes('cdrom:cd'));
    await fc.assert(
      fc.asyncProperty(lives(withoutDrive), fc.boolean(), async (all, networkFirst) => {
        const world = new BootWorld({ isBare: true, networkFirst });
        for (const one of all) {
          await world.live(one);
          expectRestored(world);
        }
        await comesToRest(world);
      }),
      { numRuns: 30 * RUNS },
    );
  }, 60_000);

  it("yields to the owner's changes of the devices", async () => {
    await fc.assert(
      fc.asyncProperty(
        lives(
          fc.oneof(
            step.filter((one) => one.do !== 'set order'),
            edit,
          ),
        ),
        fc.boolean(),
        async (all, isBare) => {
          const world = new BootWorld({ isBare });
          for (const one of all) await world.live(one);
          await comesToRest(world);
        },
      ),
      { numRuns: 100 * RUNS },
    );
  }, 60_000);

  it('survives a restore of all objects without status, and ends with its boot', async () => {
    const world = new BootWorld();
    await world.live({ step: { do: 'set', override: once, lapses: false }, killed: { after: 99, when: 'restored' } });
    expect(world.api.bmc.status).toBeUndefined();
    expect(world.inForce).toEqual(once);
    await world.live({ step: { do: 'boot', andSettle: true }, killed: undefined });
    expect(world.api.vm.spec).toEqual(world.original.spec);
    expect(world.inForce).toBeUndefined();
  });

  it('is forgotten if an earlier version has undone it, which leaves the annotation', async () => {
    const world = new BootWorld();
    await world.set(once);
    const { annotations } = world.api.vm.metadata;
    await world.clear();
    world.api.edit(({ metadata }) => Object.assign(metadata, { annotations }));
    await world.settle();
    await world.live({ step: { do: 'ask for a boot', boots: true }, killed: undefined });
    expect(firstDevice(world.api.vm)).not.toBe('interface:default');
    expect(world.inForce).toBeUndefined();
    expect(world.api.vm.metadata.annotations).toBeUndefined();
  });

  it('of an earlier version ends with its boot, even if the agent is killed between its two writes', async () => {
    const world = new BootWorld();
    const override: BootOverride = { device: 'Usb', persistence: 'Once' };
    await world.live({ step: { do: 'add disk' }, killed: undefined });
    await world.live({ step: { do: 'set', override, lapses: false }, killed: undefined });
    // The owner gives the disk its order again: the VMI does not have the order that the override wrote.
    await world.live({ step: { do: 'add disk' }, killed: undefined });
    await world.live({ step: { do: 'ask for a boot', boots: true }, killed: undefined });
    await world.live({ step: { do: 'downgrade', prunesOnly: false }, killed: { after: 3, when: 'after' } });
    await world.settle();
    expect(world.inForce).toBeUndefined();
    expect(world.api.vm.spec).toEqual(world.original.spec);
    expect(world.api.bmc.status?.bootOverride).toBeUndefined();
  });

  it('keeps a boot mode that was set without it', async () => {
    const world = new BootWorld();
    const before = structuredClone(world.api.vm.spec);
    await world.setMode('Legacy');
    await world.live({ step: { do: 'set', override: once, lapses: false }, killed: undefined });
    await world.live({ step: { do: 'boot', andSettle: true }, killed: undefined });
    expect(world.api.vmi?.spec.domain.firmware?.bootloader).toEqual({ bios: {} });
    expect(world.api.vm.spec.template.spec.domain.firmware?.bootloader).toEqual({ bios: {} });
    await world.setMode('UEFI');
    expect(world.api.vm.spec).toEqual(before);
    await world.set({ ...once, firmware: 'Legacy' });
    await expect(world.setMode('Legacy')).rejects.toMatchObject({ code: 'InvalidState' });
    await world.setMode('UEFI');
  });

  it('is refused on a retry if its device is gone', async () => {
    const world = new BootWorld();
    const override: BootOverride = { device: 'Cd', persistence: 'Once', firmware: 'UEFI' };
    await world.live({ step: { do: 'set', override, lapses: false }, killed: undefined });
    await world.live({ step: { do: 'remove drive' }, killed: undefined });
    await expect(world.set(override)).rejects.toMatchObject({ code: 'NotSupported' });
  });

  it('expires in the next agent if there is no boot in time, and is reported once', async () => {
    const world = new BootWorld();
    await world.live({ step: { do: 'set', override: once, lapses: true }, killed: undefined });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    // One read, then the write of the VM. The next agent sees it, reads all and has only the status to clear.
    for (const killed of [{ after: 1, when: 'after' } as const, { after: 3, when: 'before' } as const]) {
      await world.live({ step: { do: 'settle' }, killed });
      expect(world.api.vm.spec).toEqual(world.original.spec);
      expect(world.lapsed).toEqual([]);
    }
    await world.settle();
    await world.settle();
    expect(world.lapsed).toEqual([once]);
    expect(world.api.bmc.status?.bootOverride).toBeUndefined();
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it('is checked at once if it expired while the agent did other work', async () => {
    const world = new BootWorld();
    await world.set(once, { lapses: true });
    await world.settle();
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER + 1 }, killed: undefined });
    expect(world.lapsesIn).toBe(0);
    await world.settle();
    expect(world.lapsesIn).toBeUndefined();
    expect(world.lapsed).toEqual([once]);
  });

  it('is not checked repeatedly after its expiry while the VM is being deleted', async () => {
    const world = new BootWorld();
    await world.set(once, { lapses: true });
    world.api.edit((vm) => (vm.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'));
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER + 1 }, killed: undefined });
    await world.look();
    expect(world.lapsesIn).toBeUndefined();
  });

  it('does not expire after a client requested a boot, even if no boot followed', async () => {
    const world = new BootWorld();
    await world.live({ step: { do: 'set', override: once, lapses: true }, killed: undefined });
    await world.live({ step: { do: 'ask for a boot', boots: false }, killed: undefined });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    await world.settle();
    expect(world.inForce).toEqual(once);
    expect(world.lapsed).toEqual([]);
  });

  it('does not boot after its expiry, even if the agent checks it only then', async () => {
    const world = new BootWorld();
    await world.live({ step: { do: 'set', override: once, lapses: true }, killed: undefined });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    await world.live({ step: { do: 'ask for a boot', boots: true }, killed: undefined });
    expect(world.lapsed).toEqual([once]);
    expect(world.api.vmi?.spec.domain.devices).toEqual(world.original.spec.template.spec.domain.devices);
  });

  it('gets a new expiry if set again with one, and none if set again without', async () => {
    const world = new BootWorld();
    await world.set(once, { lapses: true });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER / 2 }, killed: undefined });
    await world.set(once, { lapses: true });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER / 2 }, killed: undefined });
    await world.settle();
    expect(world.inForce).toEqual(once);
    await world.set(once);
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    await world.settle();
    expect(world.inForce).toEqual(once);
  });
});
