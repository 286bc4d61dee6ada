import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../harness/index.ts';
import { condition, mac, on, Scene } from './scene.ts';

const c = await cluster();

const WAITERS = 120;
/** For hundreds of configs on a loaded machine. */
const LONG = { timeout: 60_000 };

describe('a full pool', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
  });
  afterEach(() => scene.close());

  it('makes new interfaces wait, reports it, and serves them as addresses become free', async () => {
    await scene.createPool('pool', { end: '10.0.0.11' });
    scene.manager();
    await scene.createConfig('a', [on(mac(1))]);
    await scene.untilAddresses('a', '10.0.0.10');
    await scene.createConfig('b', [on(mac(2))]);
    await scene.untilAddresses('b', '10.0.0.11');
    // A config that cannot be served by any address does not block others.
    await scene.createConfig('copy', [on(mac(2))]);
    await scene.untilReason('copy', 'DuplicateMAC');
    await scene.createConfig('c', [on(mac(3))]);
    const { message } = await scene.untilReason('c', 'PoolExhausted');
    expect(message).toContain(`IPPool ${scene.namespace}/pool has no free address`);
    expect((await scene.config('c')).status).toMatchObject({
      phase: 'Pending',
      networkConfigs: [{ networkName: 'prod', macAddress: mac(3), state: 'Pending' }],
    });
    expect(await scene.untilEvent('PoolExhausted', 'c')).toMatchObject({ type: 'Warning', message });
    await scene.deleteConfig('a');
    await scene.untilAddresses('c', '10.0.0.10');
    expect(await scene.untilEvent('Allocated', 'c')).toMatchObject({ type: 'Normal' });
  });

  it(
    'causes no work while interfaces wait, and serves one per free address in order of arrival, without those deleted',
    { timeout: 180_000 },
    async () => {
      await scene.createPool('pool', { end: '10.0.0.10' });
      const manager = scene.manager();
      await scene.createConfig('holder', [on(mac(1))]);
      await scene.untilAddresses('holder', '10.0.0.10');
      const names = Array.from({ length: WAITERS }, (_, index) => `w${String(index).padStart(4, '0')}`);
      for (let from = 0; from < WAITERS; from += 20)
        await Promise.all(
          names.slice(from, from + 20).map((name, at) => scene.createConfig(name, [on(mac(100 + from + at))])),
        );
      await eventually(() => {
        const waiting = manager.caches.configs
          .list()
          .filter((config) => condition(config, 'Allocated')?.reason === 'PoolExhausted');
        expect(waiting).toHaveLength(WAITERS);
      }, LONG);
      const [first = '', ...others] = manager.caches.configs
        .list()
        .filter(({ status }) => status?.phase === 'Pending')
        .map(({ metadata }) => metadata.name);
      const before = manager.transport.traffic.requests;
      await scene.deleteConfig(first);
      await scene.deleteConfig('holder');
      await eventually(async () => {
        expect(await scene.served()).toHaveLength(1);
        expect((await scene.served())[0]).not.toContain(mac(1));
      });
      const served = await eventually(() => {
        const [one] = manager.caches.configs.list().filter(({ status }) => status?.phase === 'Ready');
        if (one === undefined) throw new Error('no config is served');
        return one.metadata.name;
      });
      expect(others).toContain(served);
      // Two deletions of a config, the deletion of a lease, and a new lease: no request for each waiting config.
      expect(manager.transport.traffic.requests - before).toBeLessThan(15);

      // A wider range serves many configs at the same time.
      await scene.patchPool({ ipv4Config: { pool: { end: '10.0.0.109' } } });
      await eventually(async () => {
        expect(await scene.served()).toHaveLength(100);
      }, LONG);
    },
  );
});
