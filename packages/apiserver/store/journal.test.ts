import { setImmediate as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import type { ApiObject } from '../objects.ts';
import { StatusError } from '../status.ts';
import { Store } from './store.ts';
import { MemoryDisk } from '../testing/memory-disk.ts';

/** A write, or a pause for the background work of the store. */
type Step = { do: 'put' | 'remove'; name: string; size: number } | { do: 'wait' };

/** The store's revision, and for each name the value and the resourceVersion. */
type Model = Record<string, string>;

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      name: fc.constantFrom('a', 'b', 'c', 'ü'),
      size: fc.nat(80),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      name: fc.constantFrom('a', 'b', 'c', 'ü'),
      size: fc.nat(80),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'wait' as const }) },
);
const steps = fc.array(step, { minLength: 1, maxLength: 60 });

/** A store that compacts its journal after a few writes. */
const open = (disk: MemoryDisk): Store => Store.open({ disk, logger: silentLogger, compactAt: 600 });

const object = (name: string, size: number): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name },
  value: 'x'.repeat(size),
});

function modelOf(store: Store): Model {
  const entries = [...store.collection('things').sorted()];
  return {
    revision: String(store.revision),
    ...Object.fromEntries(
      entries.map(([key, { object: found, revision }]) => [
        key,
        `${JSON.stringify(found['value'])}@${found.metadata.resourceVersion ?? ''}@${revision}`,
      ]),
    ),
  };
}

function after(model: Model, taken: Exclude<Step, { do: 'wait' }>): Model {
  const revision = String(Number(model['revision']) + 1);
  const { [taken.name]: _gone, ...rest } = model;
  return {
    ...rest,
    revision,
    ...(taken.do === 'put'
      ? { [taken.name]: `${JSON.stringify('x'.repeat(taken.size))}@${revision}@${revision}` }
      : {}),
  };
}

interface Run {
  /** Every acknowledged state, in order. */
  acknowledged: Model[];
  /** The state after the write that the crash interrupted. */
  underWay: Model | undefined;
}

/** Runs the steps until the disk crashes. Writes that a full disk refuses do not change the model. */
async function run(store: Store, taken: readonly Step[]): Promise<Run> {
  const acknowledged = [modelOf(store)];
  for (const next of taken) {
    if (next.do === 'wait') {
      await pause();
      continue;
    }
    const model = acknowledged.at(-1) ?? {};
    // The server removes only objects that exist.
    if (next.do === 'remove' && !(next.name in model)) continue;
    try {
      store[next.do]('things', object(next.name, next.size));
      acknowledged.push(after(model, next));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      expect(modelOf(store)).toEqual(model);
      if (error.message.includes('the process has crashed')) return { acknowledged, underWay: after(model, next) };
      expect(error).toMatchObject({
        code: 500,
        message: expect.stringMatching(/^etcdserver: mvcc: database space exceeded/) as string,
      });
    }
  }
  return { acknowledged, underWay: undefined };
}

/** Opens the store again; undefined if the disk crashes again. */
function reopen(disk: MemoryDisk): Store | undefined {
  try {
    return open(disk);
  } catch (error) {
    if (disk.isDead) return undefined;
    throw error;
  }
}

describe('a journal', () => {
  it('has every acknowledged write after repeated crashes at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(steps, fc.nat(6000)), { minLength: 1, maxLength: 4 }), async (lives) => {
        let disk = new MemoryDisk();
        let possible: Model[] = [{ revision: '1' }];
        for (const [taken, end] of lives) {
          disk.crashAfter(end);
          const store = reopen(disk);
          if (store !== undefined) {
            expect(possible).toContainEqual(modelOf(store));
            const { acknowledged, underWay } = await run(store, taken);
            await pause();
            possible = [acknowledged.at(-1) ?? {}, ...(underWay === undefined ? [] : [underWay])];
          }
          disk = disk.afterCrash();
        }
        expect(possible).toContainEqual(modelOf(open(disk)));
      }),
      { numRuns: 300 },
    );
  });

  it('has exactly the acknowledged writes if the disk was full at times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(steps, fc.nat(1500)), { minLength: 1, maxLength: 5 }), async (times) => {
        const disk = new MemoryDisk();
        const store = open(disk);
        let last: Model = modelOf(store);
        for (const [taken, room] of times) {
          disk.limit(room);
          last = (await run(store, taken)).acknowledged.at(-1) ?? {};
        }
        await pause();
        expect(modelOf(open(disk.afterCrash()))).toEqual(last);
      }),
      { numRuns: 200 },
    );
  });

  it('has an acknowledged state no older than the last sync after a power failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        steps,
        fc.boolean(),
        fc.infiniteStream(fc.nat(1_000_000)),
        async (before, taken, zeros, numbers) => {
          const disk = new MemoryDisk();
          const store = open(disk);
          await run(store, before);
          for (let turn = 0; turn < 5; turn += 1) await pause();
          const { acknowledged } = await run(store, taken);
          const choose = (most: number): number => (numbers.next().value ?? 0) % (most + 1);
          expect(acknowledged).toContainEqual(modelOf(open(disk.afterPowerCut(choose, zeros))));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('limits its size, and keeps the history since the last snapshot', async () => {
    const disk = new MemoryDisk();
    const store = open(disk);
    for (let turn = 0; turn < 500; turn += 1) {
      store.put('things', object('a', 50));
      await pause();
    }
    for (const size of [1, 2]) store.put('things', object('a', size));
    const size = disk.list().reduce((sum, name) => sum + disk.read(name).length, 0);
    expect(size).toBeLessThan(2000);
    const again = open(disk.afterCrash());
    const before = [...(again.collection('things').sortedAt(store.revision - 1) ?? [])];
    expect(before.map(([, { object: found }]) => found['value'])).toEqual(['x']);
    expect(again.collection('things').sortedAt(2)).toBeUndefined();
  });

  it('refuses watches from before it was opened', () => {
    const disk = new MemoryDisk();
    const { revision } = open(disk).put('things', object('a', 1));
    const things = open(disk).collection('things');
    expect(things.since(revision - 1)).toBeUndefined();
    expect(things.since(revision)).toEqual([]);
  });

  it('notifies subscribers of recovered objects as ADDED', () => {
    const disk = new MemoryDisk();
    const store = open(disk);
    store.put('things', object('a', 1));
    store.put('others', object('b', 1));
    store.put('things', object('a', 2));
    const seen: unknown[] = [];
    open(disk).subscribe((collection, { type, key, revision }) => seen.push([collection, type, key, revision]));
    expect(seen).toEqual([
      ['things', 'ADDED', 'a', 4],
      ['others', 'ADDED', 'b', 3],
    ]);
  });

  it('refuses writes after it is closed', async () => {
    const store = open(new MemoryDisk());
    await store.close();
    expect(() => store.put('things', object('a', 1))).toThrow(
      'the write could not be stored: the server is shutting down',
    );
  });

  it('refuses all writes after a failed undo', () => {
    const disk = new MemoryDisk();
    const store = open(disk);
    disk.crashAfter(10);
    expect(() => store.put('things', object('a', 1))).toThrow('the process has crashed');
    disk.crashAfter(Infinity);
    expect(() => store.put('things', object('a', 1))).toThrow('the write could not be stored');
  });

  it('refuses all writes after a failed sync', async () => {
    const disk = new MemoryDisk();
    const store = open(disk);
    disk.loseWrites();
    store.put('things', object('a', 1));
    for (let turn = 0; turn < 3; turn += 1) await pause();
    expect(() => store.put('things', object('a', 1))).toThrow('the write could not be stored: EIO');
  });

  it('refuses all writes after a failed sync at the start of a new journal', () => {
    const disk = new MemoryDisk();
    const store = open(disk);
    disk.loseWrites();
    const write = (): void => {
      for (let turn = 0; turn < 20; turn += 1) store.put('things', object('a', 80));
    };
    expect(write).toThrow('the write could not be stored: EIO');
  });
});
