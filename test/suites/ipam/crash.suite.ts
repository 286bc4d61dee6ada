import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../harness/index.ts';
import { mac, on, Scene } from './scene.ts';

const c = await cluster();

const THREE = [on(mac(1)), on(mac(2)), on(mac(3))];

describe('a killed manager', () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.in(c);
  });
  afterEach(() => scene.close());

  const isDead = async (transport: { isDead: boolean }): Promise<void> => {
    await eventually(() => {
      expect(transport.isDead).toBe(true);
    });
  };

  // Six lists first; then the finalizer, three creates and the status.
  const calls = [6, 7, 8, 9, 10].flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]);

  it.each(calls)(
    'at call %i, %s the server has completed it, leases no address twice after a restart',
    async (call, when) => {
      await scene.createPool();
      await scene.createConfig('web', THREE);
      const transport = scene.link();
      transport.killAfter(call, when);
      const manager = scene.manager({ transport });
      await isDead(transport);
      await manager.close();
      scene.manager();
      await scene.untilAddresses('web', '10.0.0.10', '10.0.0.11', '10.0.0.12');
      expect(await scene.leases()).toHaveLength(3);
    },
  );

  it.each(calls)('at call %i of a release, %s it is complete, leaves nothing behind', async (call, when) => {
    await scene.createPool();
    const first = scene.manager();
    await scene.createConfig('web', THREE);
    await scene.untilAddresses('web', '10.0.0.10', '10.0.0.11', '10.0.0.12');
    await first.close();
    const transport = scene.link();
    const second = scene.manager({ transport });
    await eventually(() => {
      expect(second.caches.configs.list()).toHaveLength(1);
    });
    transport.killAfter(call - 6, when);
    const gone = scene.deleteConfig('web');
    await isDead(transport);
    await second.close();
    scene.manager();
    await gone;
    await eventually(async () => {
      expect(await scene.leases()).toEqual([]);
    });
  });

  it('killed repeatedly while virtual machines are created and deleted, gives each its own address in the end', async () => {
    await scene.createPool('pool', { end: '10.0.0.120' });
    const names = Array.from({ length: 60 }, (_, index) => `vm-${index}`);
    let manager = scene.manager();
    for (const [index, name] of names.entries()) {
      // Set before the ten configs are created: they alone need thirty calls, so the manager always dies during their
      // creation.
      if (index % 10 === 0) manager.transport.killAfter(index % 7, index % 20 === 0 ? 'before' : 'after');
      await scene.createConfig(name, [on(mac(index))]);
      if (index % 10 !== 9) continue;
      await eventually(() => {
        expect(manager.transport.isDead).toBe(true);
      });
      await manager.close();
      manager = scene.manager({ transport: scene.link() });
    }
    await eventually(
      async () => {
        expect(await scene.served()).toHaveLength(names.length);
      },
      { timeout: 20_000 },
    );
    const leases = await scene.leases();
    expect(new Set(leases.map(({ spec }) => spec.ipAddress)).size).toBe(names.length);
    expect(new Set(leases.map(({ spec }) => spec.macAddress)).size).toBe(names.length);
  });
});
