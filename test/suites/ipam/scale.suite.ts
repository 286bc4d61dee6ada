import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../harness/index.ts';
import { mac, on, Scene } from './scene.ts';
import type { TestManager } from './test-manager.ts';

const c = await cluster();

/** `GROUNDCREW_IPAM_CONFIGS=20000 npx vitest run --project kubernetes test/suites/ipam/scale.suite.ts` */
const CONFIGS = Number(process.env['GROUNDCREW_IPAM_CONFIGS'] ?? 400);
const BATCHES = 10;
const BATCH = CONFIGS / BATCHES;
const AT_ONCE = 25;
const TIMEOUT = CONFIGS * 60;

describe(`${CONFIGS} virtual machines on one /16`, () => {
  let scene: Scene;
  let manager: TestManager;

  beforeAll(async () => {
    scene = await Scene.in(c);
    await scene.createPool('pool', {
      cidr: '10.0.0.0/16',
      serverIP: '10.0.0.2',
      router: '10.0.0.1',
      start: '10.0.1.0',
      end: '10.0.255.254',
    });
    manager = scene.manager();
  });
  afterAll(() => scene.close());

  const createBatch = async (batch: number): Promise<void> => {
    for (let from = batch * BATCH; from < (batch + 1) * BATCH; from += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, (batch + 1) * BATCH - from) }, (_, at) => from + at);
      await Promise.all(some.map((number) => scene.createConfig(`vm-${number}`, [on(mac(number))])));
    }
    await eventually(
      () => {
        const ready = manager.caches.configs.list().filter(({ status }) => status?.phase === 'Ready');
        expect(ready.length).toBe((batch + 1) * BATCH);
      },
      { timeout: TIMEOUT },
    );
  };

  it(
    'needs as many writes and bytes for the last lease as for the first',
    async () => {
      const costs: { writes: number; bytes: number }[] = [];
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const before = manager.transport.traffic;
        await createBatch(batch);
        const after = manager.transport.traffic;
        costs.push({ writes: (after.writes - before.writes) / BATCH, bytes: (after.sent - before.sent) / BATCH });
      }
      const [first, last] = [costs[0], costs.at(-1)];
      expect(last?.writes).toBeLessThanOrEqual(4);
      // Some conflicts are retried; later addresses and names have one more digit.
      expect(last?.writes).toBeLessThan((first?.writes ?? 0) * 1.1);
      expect(last?.bytes).toBeLessThan((first?.bytes ?? 0) * 1.1);
      console.log('writes and bytes sent per lease, tenth by tenth:', costs);
      const leases = await scene.leases();
      expect(new Set(leases.map(({ spec }) => spec.ipAddress)).size).toBe(CONFIGS);
      expect(new Set(leases.map(({ spec }) => spec.macAddress)).size).toBe(CONFIGS);
      expect(leases).toHaveLength(CONFIGS);
    },
    TIMEOUT,
  );

  it(
    'makes no write after a restart without changes',
    async () => {
      await manager.close();
      manager = scene.manager();
      await eventually(() => {
        expect(manager.caches.leases.list()).toHaveLength(CONFIGS);
      });
      await scene.createConfig('next', [on(mac(CONFIGS))]);
      await eventually(async () => {
        expect((await scene.config('next')).status?.phase).toBe('Ready');
      });
      expect(manager.transport.traffic.writes).toBeLessThanOrEqual(4);
    },
    TIMEOUT,
  );
});
