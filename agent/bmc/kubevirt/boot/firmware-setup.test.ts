import { describe, expect, it } from 'vitest';
import { firmwareOf, firmwareSetupOf } from '../../../../api/index.ts';
import type { BootOverride } from '../../../../protocols/machine/index.ts';
import { BootWorld, firstDevice, type Step } from '../../testing/boot-world.ts';

const once: BootOverride = { device: 'BiosSetup', persistence: 'Once' };
const always: BootOverride = { device: 'BiosSetup', persistence: 'Continuous' };

async function live(world: BootWorld, ...steps: Step[]): Promise<void> {
  for (const step of steps) await world.live({ step, killed: undefined });
}

describe("the firmware's setup", () => {
  it('keeps the boot order writable, and combines with a change of firmware', async () => {
    const world = new BootWorld();
    await world.set({ ...always, firmware: 'Legacy', instance: 3 });
    expect(firmwareOf(world.api.vm.spec.template.spec.domain)).toBe('Legacy');
    expect(world.inForce).toEqual({ ...always, firmware: 'Legacy' });
    await live(world, { do: 'set order', order: ['interface:second', 'disk:root'] });
    expect(firstDevice(world.api.vm)).toBe('interface:second');
    expect(world.own).toMatchObject({ 'interface:second': 1, 'disk:root': 2 });
    await live(world, { do: 'clear' });
    expect(firstDevice(world.api.vm)).toBe('interface:second');
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it('is replaced by another override, and replaces one', async () => {
    const world = new BootWorld();
    for (const override of [always, { device: 'UefiHttp', persistence: 'Once', firmware: 'UEFI' }, once] as const) {
      await world.set(override);
      expect(world.inForce).toEqual(override);
      const { metadata, spec } = world.api.vm.spec.template;
      const isSetup = override.device === 'BiosSetup';
      expect([firmwareSetupOf(metadata), spec.startStrategy]).toEqual(
        isSetup ? [override.persistence, 'Paused'] : [undefined, undefined],
      );
    }
    await live(world, { do: 'clear' });
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });
});

describe('a machine whose owner starts it paused', () => {
  it('stays paused, except for a start into the firmware setup', async () => {
    const world = new BootWorld({ startsPaused: true });
    await live(world, { do: 'boot', andSettle: true });
    expect([world.isPaused, world.isHeld]).toEqual([true, false]);
    await live(world, { do: 'power off' });
    await world.set(once);
    await live(world, { do: 'boot', andSettle: true });
    expect([world.isPaused, world.resumed]).toEqual([false, 1]);
    expect(world.api.vm.spec).toEqual(world.original.spec);
    await live(world, { do: 'power off' }, { do: 'boot', andSettle: true });
    expect(world.isPaused).toBe(true);
  });
});

describe('a machine started for its setup', () => {
  async function started(override = once): Promise<BootWorld> {
    const world = new BootWorld();
    await world.set(override);
    await live(world, { do: 'boot', andSettle: false });
    return world;
  }

  it('stays paused if a user pauses it later', async () => {
    const world = await started(always);
    await world.settle();
    await live(world, { do: 'pause' }, { do: 'settle' }, { do: 'settle' });
    expect([world.isPaused, world.isHeld, world.resumed]).toEqual([true, false, 1]);
  });

  it('stays paused by a user who resumed it before the agent did', async () => {
    const world = await started();
    await live(world, { do: 'resume' }, { do: 'pause' });
    await world.settle();
    expect([world.isPaused, world.resumed]).toEqual([true, 0]);
  });

  it('is resumed by the next agent after a crash at any point, and only once', async () => {
    let kills = 0;
    for (let requests = 0; requests < 12; requests += 1) {
      for (const when of ['before', 'after'] as const) {
        const world = await started();
        await world.live({ step: { do: 'settle' }, killed: { after: requests, when } });
        if (world.resumed === 0) kills += 1;
        const hasGoneOn = !world.isPaused;
        if (hasGoneOn) await live(world, { do: 'pause', after: 2000 });
        await world.settle();
        expect(world.isPaused).toBe(hasGoneOn);
        expect(world.api.vm.spec).toEqual(world.original.spec);
      }
    }
    expect(kills).toBeGreaterThan(10);
  });

  it('is resumed once, even if the watch shows it paused for longer', async () => {
    const world = await started();
    const { vmi } = world.api;
    await world.settle();
    world.api.vmi = vmi;
    await world.look();
    expect([world.isHeld, world.resumed]).toEqual([true, 1]);
  });

  it.each<[string, (vmi: NonNullable<BootWorld['api']['vmi']>) => unknown, boolean]>([
    ['is being deleted', (vmi) => (vmi.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'), false],
    ['does not run yet', (vmi) => (vmi.status = { ...vmi.status, phase: 'Scheduled' }), false],
    ['was not made for it', (vmi) => delete vmi.metadata.annotations, false],
    ['was not started paused', (vmi) => delete vmi.spec.startStrategy, false],
    ['lacks a disk', (vmi) => (vmi.status = { ...vmi.status, conditions: [paused('PausedIOError')] }), false],
    ['does not say since when', (vmi) => (vmi.status = { ...vmi.status, conditions: [paused('PausedByUser')] }), true],
    ['does not say when it began', (vmi) => delete vmi.status?.phaseTransitionTimestamps, true],
  ])('that %s is resumed: %#', async (_what, change, goesOn) => {
    const world = await started();
    const vmi = structuredClone(world.api.vmi);
    if (vmi === undefined) throw new Error('nothing was started');
    change(vmi);
    world.api.vmi = vmi;
    expect(world.isHeld).toBe(goesOn);
    await world.look();
    expect(world.resumed).toBe(goesOn ? 1 : 0);
  });

  function paused(reason: string) {
    return { type: 'Paused', status: 'True', reason } as const;
  }
});
