import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KubeClient } from '../client.ts';
import { CONFIG_MAPS, type ConfigMap } from '../core.ts';
import { keyOf } from '../objects.ts';
import { deepFreeze, FakeClock, ScriptedApi, silentLogger } from '../testing/index.ts';
import type { Change } from './cache.ts';
import { CachedWatch } from './cached-watch.ts';

/** One step: a change on the server or in the connection. */
type Step =
  | { do: 'put' | 'delete'; object: number }
  | { do: 'bookmark' | 'compact' | 'end watches' | 'reset watches' }
  /** A reader calls confirm(). */
  | { do: 'confirm' }
  /** Continues the pending requests: they are answered, refused, or fail. */
  | { do: 'answer' | 'refuse' | 'fail' }
  | { do: 'wait'; milliseconds: number };

const survivable = [
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('put' as const, 'delete' as const), object: fc.nat(4) }) },
  { weight: 8, arbitrary: fc.constant({ do: 'answer' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('refuse' as const, 'fail' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('end watches' as const, 'reset watches' as const) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'bookmark' as const }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), milliseconds: fc.nat(2000) }) },
];
const confirmation = { weight: 4, arbitrary: fc.constant({ do: 'confirm' as const }) };
const compaction = { weight: 2, arbitrary: fc.constant({ do: 'compact' as const }) };

function scripts(...kinds: fc.WeightedArbitrary<Step>[]): fc.Arbitrary<Step[]> {
  return fc.array(fc.oneof(...kinds), { maxLength: 80, size: 'max' });
}

/** A server that answers only when the script says so, and a cache that follows it. */
class Script {
  readonly api = new ScriptedApi();
  readonly clock = new FakeClock();
  readonly changes: Change<ConfigMap>[] = [];
  /** `put` or `delete`, with the resulting resource version. */
  readonly written: string[] = [];
  readonly stop = new AbortController();
  readonly cache: CachedWatch<ConfigMap>;
  readonly #requests: ((verdict: 'answer' | 'refuse' | 'fail') => void)[] = [];
  #healed = false;

  constructor(goneAs: 'status' | 'event', pageSize: number, seed: number) {
    this.api.goneAs = goneAs;
    this.api.pageSize = pageSize;
    this.api.intercept = async () => {
      const verdict = this.#healed ? 'answer' : await new Promise((resolve) => this.#requests.push(resolve));
      if (verdict === 'answer') return undefined;
      if (verdict === 'refuse') return { status: 503, body: 'starting' };
      throw new Error('socket hang up');
    };
    let random = seed;
    this.cache = new CachedWatch({
      client: new KubeClient({ transport: this.api, fieldManager: 'test' }),
      kind: CONFIG_MAPS,
      clock: this.clock,
      random: () => (random = (random * 16807 + 11) % 2147483647) / 2147483647,
      logger: silentLogger,
      transform: deepFreeze,
    });
    this.cache.subscribe((change) => this.changes.push(change));
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'put':
        this.api.put(path(step.object), { apiVersion: 'v1', kind: 'ConfigMap' });
        this.written.push(`put ${this.api.resourceVersion}`);
        break;
      case 'delete':
        if (this.api.delete(path(step.object)) !== undefined) this.written.push(`delete ${this.api.resourceVersion}`);
        break;
      case 'bookmark':
        this.api.bookmark();
        break;
      case 'compact':
        this.api.compact();
        break;
      case 'end watches':
        this.api.endWatches('cleanly');
        break;
      case 'reset watches':
        this.api.endWatches('reset');
        break;
      case 'confirm':
        void this.cache.confirm();
        await this.clock.advance(0);
        break;
      case 'wait':
        await this.clock.advance(step.milliseconds);
        break;
      default:
        for (const resolve of this.#requests.splice(0)) resolve(step.do);
        await this.clock.advance(0);
    }
  }

  /** Makes the server answer from now on, and waits twice the longest back-off. */
  async heal(): Promise<void> {
    this.#healed = true;
    await this.take({ do: 'answer' });
    await this.clock.advance(70_000);
  }
}

function path(object: number): string {
  return `/api/v1/namespaces/default/configmaps/o${object}`;
}

function configMapsOf(api: ScriptedApi): Iterable<ConfigMap> {
  // The API is untyped; the scripts store only ConfigMaps in it.
  return api.objects.values() as Iterable<ConfigMap>;
}

function contentOf(objects: Iterable<ConfigMap>): string[] {
  return [...objects].map(({ metadata }) => `${keyOf(metadata)}@${metadata.resourceVersion ?? ''}`).toSorted();
}

/** The state that follows from all changes; fails if a change does not follow from the changes before it. */
function replay(changes: readonly Change<ConfigMap>[]): Map<string, ConfigMap> {
  const known = new Map<string, ConfigMap>();
  for (const change of changes) {
    const key = keyOf(change.object.metadata);
    const before = known.get(key);
    if (change.type === 'added') expect(before).toBeUndefined();
    else expect(before?.metadata.uid).toBe(change.object.metadata.uid);
    if (change.type === 'modified') expect(change.previous).toBe(before);
    // The version of an object never decreases.
    if (change.type === 'modified') expect(versionOf(change.object)).toBeGreaterThan(versionOf(change.previous));
    if (change.type === 'deleted') known.delete(key);
    else known.set(key, change.object);
  }
  return known;
}

function versionOf({ metadata }: ConfigMap): number {
  return Number(metadata.resourceVersion);
}

async function play(script: Script, steps: readonly Step[]): Promise<void> {
  const running = script.cache.run(script.stop.signal);
  for (const step of steps) await script.take(step);
  await script.heal();
  script.stop.abort();
  await running;
  expect([script.clock.timers, script.api.watches]).toEqual([0, 0]);
}

describe('CachedWatch under random failures', () => {
  it('ends with the objects of the server, and so do its listeners', async () => {
    await fc.assert(
      fc.asyncProperty(
        scripts(...survivable, confirmation, compaction),
        fc.constantFrom('status' as const, 'event' as const),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(),
        async (steps, goneAs, pageSize, seed) => {
          const script = new Script(goneAs, pageSize, seed);
          await play(script, steps);
          const server = contentOf(configMapsOf(script.api));
          expect(contentOf(script.cache.list())).toEqual(server);
          expect(contentOf(replay(script.changes).values())).toEqual(server);
        },
      ),
      { numRuns: 200 },
    );
  }, 60_000);

  it('loses no event while the server keeps its history: listeners get each state of each object once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        scripts(...survivable),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(),
        async (steps, pageSize, seed) => {
          const script = new Script('status', pageSize, seed);
          let listed = 0;
          const synced = script.cache.synced().then(() => (listed = script.changes.length));
          await play(script, steps);
          await synced;
          const told = script.changes
            .slice(listed)
            .map(
              ({ type, object }) => `${type === 'deleted' ? 'delete' : 'put'} ${object.metadata.resourceVersion ?? ''}`,
            );
          // The changes after the list are the last writes; only writes that the list contained are missing.
          expect(told).toEqual(script.written.slice(script.written.length - told.length));
          expect(contentOf(script.cache.list())).toEqual(contentOf(configMapsOf(script.api)));
        },
      ),
      { numRuns: 100 },
    );
  }, 60_000);
});
