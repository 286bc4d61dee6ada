import { describe, expect, it } from 'vitest';
import { CachedWatch } from '../cache/cached-watch.ts';
import { KubeClient } from '../client.ts';
import { sleep } from '../clock.ts';
import { CONFIG_MAPS, DEPLOYMENTS, SECRETS } from '../core.ts';
import { ApiError, TerminalError } from '../errors.ts';
import { Metrics } from '../metrics.ts';
import { keyOf, type ObjectRef, type OwnerReference } from '../objects.ts';
import { FakeClock, ScriptedApi, silentLogger } from '../testing/index.ts';
import { Controller, type ControllerOptions, type Reconcile } from './controller.ts';
import { generationChanged, ownerOf, self, source } from './source.ts';

const A: ObjectRef = { namespace: 'default', name: 'a' };

function setUp(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const calls: { object: string; at: number }[] = [];
  const began = clock.now();
  const controller = new Controller({
    name: 'test',
    reconcile: async (ref, signal) => {
      calls.push({ object: keyOf(ref), at: clock.now() - began });
      return await reconcile(ref, signal);
    },
    sources: [],
    clock,
    logger: silentLogger,
    ...options,
  });
  return { clock, stop, calls, controller, run: () => controller.run(stop.signal) };
}

const succeed: Reconcile = () => Promise.resolve();

describe('Controller', () => {
  it('reconciles objects enqueued before and during its run', async () => {
    const { clock, calls, controller, run } = setUp(succeed);
    controller.enqueue(A);
    void run();
    await clock.advance(1);
    controller.enqueue({ name: 'node' });
    await clock.advance(1);
    expect(calls.map(({ object }) => object)).toEqual(['default/a', '/node']);
  });

  it('reconciles again after requeueAfter', async () => {
    const { clock, calls, controller, run } = setUp(() => Promise.resolve({ requeueAfter: 1000 }));
    controller.enqueue(A);
    void run();
    await clock.advance(2500);
    expect(calls.map(({ at }) => at)).toEqual([0, 1000, 2000]);
  });

  it('retries after an error with growing delays, and resets the delay after a success', async () => {
    let attempts = 0;
    const { clock, calls, controller, run } = setUp(() => {
      attempts += 1;
      return attempts === 5 ? Promise.resolve() : Promise.reject(new Error('no'));
    });
    controller.enqueue(A);
    void run();
    await clock.advance(500);
    expect(calls.map(({ at }) => at)).toEqual([0, 5, 15, 35, 75]);
    controller.enqueue(A);
    await clock.advance(6);
    expect(calls.map(({ at }) => at).slice(5)).toEqual([500, 505]);
  });

  it('handles a reconciler that throws synchronously like any other error', async () => {
    const { clock, calls, controller, run } = setUp(() => {
      throw new Error('at once');
    });
    controller.enqueue(A);
    void run();
    await clock.advance(6);
    expect(calls).toHaveLength(2);
  });

  it('does not retry after a TerminalError until the object changes', async () => {
    const { clock, calls, controller, run } = setUp(() => Promise.reject(new TerminalError('never')));
    controller.enqueue(A);
    void run();
    await clock.advance(1_000_000);
    expect(calls).toHaveLength(1);
    controller.enqueue(A);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
  });

  it('reconciles as many objects in parallel as it has workers, and no object twice', async () => {
    const active = new Set<string>();
    let most = 0;
    const { clock, controller, run } = setUp(
      async (ref) => {
        expect(active.has(ref.name)).toBe(false);
        active.add(ref.name);
        most = Math.max(most, active.size);
        await sleep(clock, 10, new AbortController().signal);
        active.delete(ref.name);
      },
      { workers: 3 },
    );
    void run();
    for (let i = 0; i < 50; i += 1) {
      controller.enqueue({ name: `o${i % 5}` });
      await clock.advance(3);
    }
    expect(most).toBe(3);
  });

  it('on abort signals the reconciler, waits for it, and drops queued objects', async () => {
    let told = false;
    const { clock, stop, calls, controller, run } = setUp(async (_, signal) => {
      signal.addEventListener('abort', () => (told = true));
      await sleep(clock, 100, new AbortController().signal);
    });
    controller.enqueue(A);
    controller.enqueue({ ...A, name: 'b' });
    let ended = false;
    const running = run().then(() => (ended = true));
    await clock.advance(50);
    stop.abort();
    await clock.advance(49);
    expect([told, ended]).toEqual([true, false]);
    await clock.advance(1);
    await running;
    expect(calls).toHaveLength(1);
    expect(clock.timers).toBe(0);
  });

  it('ends immediately if it is aborted before it begins', async () => {
    const { stop, run } = setUp(succeed);
    stop.abort();
    await run();
  });

  it('follows its sources: the object, its owner, and previous references', async () => {
    const api = new ScriptedApi();
    const clock = new FakeClock();
    const stop = new AbortController();
    const client = new KubeClient({ transport: api, fieldManager: 'test' });
    const configMaps = new CachedWatch({ client, kind: CONFIG_MAPS, clock, logger: silentLogger });
    const secrets = new CachedWatch({ client, kind: SECRETS, clock, logger: silentLogger });
    const { calls, run } = setUp(succeed, {
      clock,
      sources: [
        source(configMaps, self, generationChanged),
        source(configMaps, ({ data }) => [{ name: `via-${data?.['target'] ?? ''}` }]),
        source(secrets, ownerOf(DEPLOYMENTS)),
      ],
    });
    const owner: OwnerReference = {
      apiVersion: 'apps/v1beta9',
      kind: 'Deployment',
      name: 'd',
      uid: 'u',
      controller: true,
    };
    const configMap = (target: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', data: { target } });
    const cm = '/api/v1/namespaces/default/configmaps/cm';
    api.put(cm, configMap('x') as never);
    for (const cache of [configMaps, secrets]) void cache.run(stop.signal);
    await configMaps.synced();
    void run();
    await clock.advance(1);
    const seen = (): string[] => calls.splice(0).map(({ object }) => object);
    expect(seen()).toEqual(['default/cm', '/via-x']);
    api.put(cm, configMap('y') as never);
    await clock.advance(1);
    expect(seen().toSorted()).toEqual(['/via-x', '/via-y', 'default/cm']);
    const secret = { apiVersion: 'v1', kind: 'Secret' };
    api.put('/api/v1/namespaces/default/secrets/owned', { ...secret, metadata: { ownerReferences: [owner] } });
    api.put('/api/v1/namespaces/default/secrets/free', secret);
    await clock.advance(1);
    expect(seen()).toEqual(['default/d']);
  });

  it('exports metrics with the names of Go’s controller-runtime', async () => {
    const metrics = new Metrics();
    let fail = true;
    const { clock, stop, controller, run } = setUp(
      () => {
        if (fail) return Promise.reject(new ApiError('GET x', 500, ''));
        return Promise.resolve();
      },
      { metrics, workers: 2 },
    );
    controller.enqueue(A);
    const running = run();
    await clock.advance(1);
    fail = false;
    await clock.advance(100);
    const text = await metrics.text();
    for (const line of [
      'controller_runtime_reconcile_total{controller="test",result="error"} 1',
      'controller_runtime_reconcile_total{controller="test",result="success"} 1',
      'controller_runtime_reconcile_errors_total{controller="test"} 1',
      'controller_runtime_terminal_reconcile_errors_total{controller="test"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="test"} 2',
      'controller_runtime_max_concurrent_reconciles{controller="test"} 2',
      'controller_runtime_active_workers{controller="test"} 0',
      'workqueue_depth{name="test",controller="test"} 0',
      'workqueue_adds_total{name="test",controller="test"} 2',
      'workqueue_retries_total{name="test",controller="test"} 1',
      'workqueue_queue_duration_seconds_count{name="test",controller="test"} 2',
      'workqueue_work_duration_seconds_count{name="test",controller="test"} 2',
      'workqueue_unfinished_work_seconds{name="test",controller="test"} 0',
      'workqueue_longest_running_processor_seconds{name="test",controller="test"} 0',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    stop.abort();
    await running;
  });
});
