import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEDIA_SLOTS, type MediaSlot, notedMediaOf } from '../../../../api/index.ts';
import { type MediaLife, MediaWorld } from '../../testing/media-world.ts';
import { entryOf } from './media-drive.ts';

/** Factor of the number of random runs: CI makes five times as many as a developer's machine. */
const RUNS = process.env.CI === 'true' ? 10 : 2;

const drive = fc.constantFrom('none', 'empty', 'full');
const killed = fc.record({ after: fc.nat(16), when: fc.constantFrom('before', 'after', 'restored') });
const life: fc.Arbitrary<MediaLife> = fc.record({
  event: fc.constantFrom(
    'insert',
    'insert detached',
    'eject',
    'settle',
    'import',
    'fail',
    'downgrade',
    'start',
    'wait',
    'stop',
  ),
  slot: fc.constantFrom(...MEDIA_SLOTS),
  killed: fc.option(killed, { nil: undefined }),
});
const alive = (event: MediaLife['event'], slot: MediaSlot = 'Cd'): MediaLife => ({ event, slot, killed: undefined });

describe('images in two drives whose agent is killed, or restored without status, between any two requests', () => {
  it('can be ejected at any time, and leave nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(drive, fc.array(life, { minLength: 1, maxLength: 8 }), async (first, lives) => {
        const world = new MediaWorld(first);
        for (const one of lives) {
          await world.live(one);
          expect(world.ejected).toEqual(world.original.spec);
        }
        await world.live(alive('settle'));
        expect(world.overstated).toEqual([]);
        expect(world.missing).toEqual([]);
        for (const slot of MEDIA_SLOTS) {
          // The status and the VM agree on what is in the drive.
          const entry = entryOf(world.api.bmc, slot);
          expect(notedMediaOf(world.api.vm, slot)?.id).toBe(
            entry?.detached === true || entry?.drive === undefined ? undefined : entry.id,
          );
        }
        for (const slot of MEDIA_SLOTS) await world.live(alive('eject', slot));
        expect(world.api.vm.spec).toEqual(world.original.spec);
        expect(world.api.vm.metadata.annotations ?? {}).toEqual({});
        expect([...world.api.volumes.keys()]).toEqual([]);
        await world.live(alive('stop'));
        for (const slot of MEDIA_SLOTS) {
          await world.live(alive('insert', slot));
          await world.live(alive('import', slot));
        }
        const phases = world.api.bmc.status?.virtualMedia?.map(({ slot, phase }) => [slot, phase]);
        expect(phases).toEqual(MEDIA_SLOTS.map((slot) => [slot, 'Inserted']));
      }),
      { numRuns: 100 * RUNS },
    );
  }, 60_000);

  it.each(MEDIA_SLOTS)('wait, and are not done, while a guest runs that was started without them: %s', async (slot) => {
    const world = new MediaWorld('full');
    for (const event of ['start', 'insert', 'import'] as const) await world.live(alive(event, slot));
    expect(entryOf(world.api.bmc, slot)).toMatchObject({ phase: 'Waiting', progress: '99.0%' });
    for (const event of ['stop', 'start', 'settle'] as const) await world.live(alive(event, slot));
    expect(entryOf(world.api.bmc, slot)).toMatchObject({ phase: 'Inserted', progress: '100.0%' });
    expect(world.told).toEqual(['MediaWaiting', 'MediaReady']);
  });

  it.each(MEDIA_SLOTS)('are removed from the machine after a restore, and users are told: %s', async (slot) => {
    const world = new MediaWorld('full');
    await world.live(alive('insert', slot));
    await world.live({ event: 'import', slot, killed: { after: 99, when: 'restored' } });
    expect(world.api.vm.spec).not.toEqual(world.original.spec);
    await world.live(alive('settle'));
    expect(world.api.vm.spec).toEqual(world.original.spec);
    expect(world.told).toEqual(['MediaReady', 'MediaRemoved']);
  });

  it('are refused as a USB stick where KubeVirt has no USB', async () => {
    const world = new MediaWorld('full');
    world.api.edit(({ spec }) => Object.assign(spec.template.spec, { architecture: 's390x' }));
    for (const slot of MEDIA_SLOTS) await world.live(alive('insert', slot));
    expect(world.api.bmc.status?.virtualMedia?.map(({ slot }) => slot)).toEqual(['Cd']);
  });

  it('are removed if an earlier version, which has one drive, wrote the status', async () => {
    const world = new MediaWorld('full');
    for (const slot of MEDIA_SLOTS)
      for (const event of ['insert', 'import'] as const) await world.live(alive(event, slot));
    const [cd] = world.api.bmc.status?.virtualMedia ?? [];
    world.api.bmc = { ...world.api.bmc, status: { virtualMedia: cd === undefined ? [] : [cd] } };
    await world.live(alive('settle'));
    expect(world.told).toEqual(['MediaReady', 'MediaReady', 'MediaRemoved']);
    await world.live(alive('eject'));
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });
});
