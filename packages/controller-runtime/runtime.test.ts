import { afterEach, describe, expect, it } from 'vitest';
import { CachedWatch } from './cache/cached-watch.ts';
import { KubeClient } from './client.ts';
import { sleep } from './clock.ts';
import { Controller } from './controller/controller.ts';
import { self, source } from './controller/source.ts';
import { CONFIG_MAPS, SECRETS } from './core.ts';
import { LeaderElection } from './leader-election.ts';
import { Metrics } from './metrics.ts';
import { keyOf } from './objects.ts';
import { Runtime, type RuntimeOptions } from './runtime.ts';
import { FakeClock, ScriptedApi, silentLogger } from './testing/index.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

function setUp(options: Partial<RuntimeOptions> = {}) {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const metrics = new Metrics();
  const logger = silentLogger;
  const client = new KubeClient({ transport: api, fieldManager: 'test', onResponse: metrics.clientObserver('h') });
  const runtime = new Runtime({ clock, logger, metrics, ...options });
  const configMaps = new CachedWatch({ client, kind: CONFIG_MAPS, clock, logger, metrics });
  runtime.addCache(configMaps);
  const reconciled: string[] = [];
  runtime.addController(
    new Controller({
      name: 'config-maps',
      reconcile: (ref) => {
        reconciled.push(keyOf(ref));
        return Promise.resolve();
      },
      sources: [source(configMaps, self)],
      clock,
      logger,
      metrics,
    }),
  );
  const stop = new AbortController();
  stops.push(stop);
  api.put('/api/v1/namespaces/default/configmaps/a', { apiVersion: 'v1', kind: 'ConfigMap' });
  return { api, clock, client, runtime, reconciled, stop, run: () => runtime.run(stop.signal) };
}

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function get(runtime: Runtime, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${runtime.port ?? 0}${path}`);
  return { status: response.status, text: await response.text() };
}

/** Waits for real sockets to open; the fake clock does not move. */
async function listening(runtime: Runtime): Promise<void> {
  for (let i = 0; i < 100 && runtime.port === undefined; i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('Runtime', () => {
  it('runs controllers after the caches have synced until it is aborted, and leaves no timer or socket open', async () => {
    const { api, clock, reconciled, stop, run } = setUp();
    const running = run();
    await clock.advance(1);
    expect(reconciled).toEqual(['default/a']);
    stop.abort();
    await running;
    expect([clock.timers, api.watches]).toEqual([0, 0]);
  });

  it('is ready when the caches have synced, with or without leadership', async () => {
    const { api, clock, client, stop, reconciled, ...rest } = setUp();
    const election = new LeaderElection({
      client,
      namespace: 'system',
      name: 'manager',
      identity: 'me',
      clock,
      logger: silentLogger,
    });
    const runtime = new Runtime({
      clock,
      logger: silentLogger,
      metrics: new Metrics(),
      address: LOOPBACK,
      leaderElection: election,
    });
    const secrets = new CachedWatch({ client, kind: SECRETS, clock, logger: silentLogger });
    runtime.addCache(secrets);
    expect(rest.runtime.port).toBeUndefined();
    const lease = { holderIdentity: 'other', leaseDurationSeconds: 15 };
    api.put('/apis/coordination.k8s.io/v1/namespaces/system/leases/manager', {
      apiVersion: 'v1',
      kind: 'Lease',
      spec: lease,
    } as never);
    let up = false;
    api.intercept = () => (up ? undefined : { status: 503, body: 'starting' });
    const running = runtime.run(stop.signal);
    await listening(runtime);
    expect(await get(runtime, '/readyz')).toEqual({ status: 503, text: '[-]caches: not yet in: secrets\nfailed\n' });
    expect((await get(runtime, '/healthz')).status).toBe(200);
    up = true;
    await clock.advance(30_000);
    expect(await get(runtime, '/readyz')).toEqual({ status: 200, text: '[+]caches ok\nok\n' });
    expect(reconciled).toEqual([]);
    expect((await get(runtime, '/nothing')).status).toBe(404);
    stop.abort();
    await running;
    await expect(get(runtime, '/healthz')).rejects.toThrow();
  });

  it('serves the metrics and runs additional checks', async () => {
    const { clock, runtime, run } = setUp({ address: LOOPBACK });
    runtime.addCheck('healthz', 'own', () => 'stuck');
    void run();
    await listening(runtime);
    await clock.advance(1);
    expect((await get(runtime, '/metrics')).text).toContain(
      'rest_client_requests_total{code="200",method="GET",host="h"}',
    );
    expect(await get(runtime, '/healthz')).toEqual({ status: 503, text: '[-]own: stuck\nfailed\n' });
  });

  it('does not wait for a kind that is not installed', async () => {
    const { api, clock, reconciled, client, runtime, run } = setUp();
    runtime.addCache(new CachedWatch({ client, kind: SECRETS, clock, logger: silentLogger }));
    api.intercept = ({ path }) => (path.includes('secrets') ? { status: 404, body: '404 page not found' } : undefined);
    void run();
    await clock.advance(1);
    expect(reconciled).toEqual(['default/a']);
  });

  it('fails after 2 minutes without sync and names the kinds', async () => {
    const { api, clock, run } = setUp();
    api.intercept = () => ({ status: 403, body: 'forbidden' });
    const result = run().catch((error: unknown) => error);
    await clock.advance(120_000);
    expect(await result).toMatchObject({
      code: 'CacheSyncTimeout',
      message: expect.stringContaining('configmaps') as string,
    });
    expect(clock.timers).toBe(0);
  });

  it('fails immediately when the lease is lost, without waiting for controllers', async () => {
    const setup = setUp();
    const { api, clock, client, stop } = setup;
    const leaderElection = new LeaderElection({
      client,
      namespace: 'system',
      name: 'manager',
      identity: 'me',
      clock,
      logger: silentLogger,
    });
    const runtime = new Runtime({ clock, logger: silentLogger, leaderElection });
    runtime.addController({ name: 'slow', run: () => new Promise(() => undefined) });
    const result = runtime.run(stop.signal).catch((error: unknown) => error);
    await clock.advance(1000);
    api.intercept = () => {
      throw new Error('connect ECONNREFUSED');
    };
    await clock.advance(10_000);
    expect(await result).toMatchObject({ code: 'LeadershipLost' });
  });

  it('waits at most 30 s for controllers to finish', async () => {
    const { clock, runtime, stop, run } = setUp();
    runtime.addController({ name: 'stuck', run: () => new Promise(() => undefined) });
    let ended = false;
    const running = run().then(() => (ended = true));
    await clock.advance(1);
    stop.abort();
    await clock.advance(29_999);
    expect(ended).toBe(false);
    await clock.advance(1);
    await running;
  });

  it('stops the other controllers when one fails, and throws its error', async () => {
    const { clock, runtime, run } = setUp();
    const bug = new Error('a bug');
    runtime.addController({ name: 'broken', run: () => Promise.reject(bug) });
    let finished = false;
    runtime.addController({
      name: 'slow',
      run: async () => {
        await sleep(clock, 5000, new AbortController().signal);
        finished = true;
      },
    });
    const result = run().catch((error: unknown) => error);
    await clock.advance(5000);
    expect(await result).toBe(bug);
    expect(finished).toBe(true);
  });

  it('fails if its address is in use', async () => {
    const first = setUp({ address: LOOPBACK });
    void first.run();
    await listening(first.runtime);
    const second = setUp({ address: { host: '127.0.0.1', port: first.runtime.port ?? 0 } });
    await expect(second.run()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
