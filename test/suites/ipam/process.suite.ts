import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';
import { mac, on, Scene } from './scene.ts';

const c = await cluster();

/** `GROUNDCREW_IPAM_STORM=1000 npx vitest run --project kubernetes test/suites/ipam/process.suite.ts` */
const STORM = Number(process.env['GROUNDCREW_IPAM_STORM'] ?? 100);
const KILLS = 2;
const TIMEOUT = 60_000 + STORM * 100;

describe('the manager process with the permissions of the chart', () => {
  let scene: Scene;
  let manager: RunningManager;

  beforeEach(async () => {
    scene = await Scene.in(c);
    manager = await c.manager();
  });
  afterEach(async () => {
    await manager.stop();
    await scene.close();
  });

  it('leases addresses of a pool in another namespace to machines whose owners have no permissions there', async () => {
    await scene.createPool();
    const team = await Scene.in(c);
    onTestFinished(() => team.close());
    await team.createConfig('web', [on(mac(1), { networkName: `${scene.namespace}/prod` })]);
    await team.untilAddresses('web', '10.0.0.10');
    expect((await scene.findLease('10.0.0.10'))?.spec).toMatchObject({
      macAddress: mac(1),
      vmNetworkConfigRef: team.ref('web'),
    });
    expect(await team.leases()).toEqual([]);
    await team.deleteConfig('web');
    // No address is released for 20 s if a single request of the manager meets a busy server.
    await scene.untilFree('10.0.0.10', 'pool', { timeout: 40_000 });
  }, 90_000);

  it(
    `keeps addresses unique and releases all of them if it is killed ${KILLS} times while ${STORM} virtual machines are created, and again while they are deleted`,
    async () => {
      await scene.createPool('pool', { cidr: '10.0.0.0/16', start: '10.0.1.0', end: '10.0.9.255', router: '10.0.0.1' });
      const names = Array.from({ length: STORM }, (_, index) => `vm-${index}`);
      const killAt = new Set(
        Array.from({ length: KILLS }, (_, index) => Math.floor(((index + 1) * STORM) / (KILLS + 1))),
      );
      const withKills = async (work: (name: string, index: number) => Promise<unknown>): Promise<void> => {
        let restart: Promise<void> = Promise.resolve();
        for (const [index, name] of names.entries()) {
          if (killAt.has(index)) {
            await restart;
            await manager.stop('SIGKILL');
            restart = manager.start();
          }
          await work(name, index);
        }
        await restart;
      };

      await withKills((name, index) => scene.createConfig(name, [on(mac(index))]));
      await eventually(
        async () => {
          expect((await scene.configs()).filter(({ status }) => status?.phase === 'Ready')).toHaveLength(STORM);
        },
        { timeout: TIMEOUT, interval: 500 },
      );
      const leases = await scene.leases();
      expect(leases).toHaveLength(STORM);
      expect(new Set(leases.map(({ spec }) => spec.ipAddress)).size).toBe(STORM);
      expect(new Set(leases.map(({ spec }) => spec.macAddress)).size).toBe(STORM);

      await withKills((name) => scene.beginDeletion(name));
      await eventually(
        async () => {
          expect(await scene.configs()).toEqual([]);
          expect(await scene.leases()).toEqual([]);
        },
        { timeout: TIMEOUT, interval: 500 },
      );
    },
    TIMEOUT * 3,
  );
});
