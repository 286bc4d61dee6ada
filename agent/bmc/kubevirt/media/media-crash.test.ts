import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notedMediaOf } from '../../../../api/index.ts';
import { type MediaLife, MediaWorld } from '../../testing/media-world.ts';
import { entryOf } from './media-drive.ts';

/** Factor of the number of random runs: CI makes five times as many as a developer's machine. */
const RUNS = process.env.CI === 'true' ? 10 : 2;

const drive = fc.constantFrom('none', 'empty', 'full');
const killed = fc.record({ after: fc.nat(12), when: fc.constantFrom('before', 'after', 'restored') });
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
    'stop',
  ),
  killed: fc.option(killed, { nil: undefined }),
});
const alive = (event: MediaLife['event']): MediaLife => ({ event, killed: undefined });

describe('an image whose agent is killed, or restored without status, between any two requests', () => {
  it('can be ejected at any time, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(drive, fc.array(life, { minLength: 1, maxLength: 8 }), async (first, lives) => {
        const world = new MediaWorld(first);
        for (const one of lives) {
          await world.live(one);
          expect(world.ejected).toEqual(world.original.spec);
        }
        await world.live(alive('settle'));
        expect(world.isOverstated).toBe(false);
        // The status and the VM agree on what is in the drive.
        const entry = entryOf(world.api.bmc);
        expect(notedMediaOf(world.api.vm)?.id).toBe(
          entry?.detached === true || entry?.drive === undefined ? undefined : entry.id,
        );
        await world.live(alive('eject'));
        expect(world.api.vm.spec).toEqual(world.original.spec);
        expect(world.api.vm.metadata.annotations ?? {}).toEqual({});
        expect([...world.api.volumes.keys()]).toEqual([]);
        await world.live(alive('stop'));
        await world.live(alive('insert'));
        await world.live(alive('import'));
        expect(entryOf(world.api.bmc)).toMatchObject({ phase: 'Inserted' });
      }),
      { numRuns: 100 * RUNS },
    );
  }, 60_000);

  it('waits, and is not done, while a guest runs that was started without it', async () => {
    const world = new MediaWorld('full');
    for (const event of ['start', 'insert', 'import'] as const) await world.live(alive(event));
    expect(entryOf(world.api.bmc)).toMatchObject({ phase: 'Waiting', progress: '99.0%' });
    for (const event of ['stop', 'start', 'settle'] as const) await world.live(alive(event));
    expect(entryOf(world.api.bmc)).toMatchObject({ phase: 'Inserted', progress: '100.0%' });
    expect(world.told).toEqual(['MediaWaiting', 'MediaReady']);
  });

  it('is removed from the machine after a restore, and users are told', async () => {
    const world = new MediaWorld('full');
    await world.live(alive('insert'));
    await world.live({ event: 'import', killed: { after: 99, when: 'restored' } });
    expect(world.api.vm.spec).not.toEqual(world.original.spec);
    await world.live(alive('settle'));
    expect(world.api.vm.spec).toEqual(world.original.spec);
    expect(world.told).toEqual(['MediaReady', 'MediaRemoved']);
  });
});
