import { beforeAll, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINES } from '../../../api/index.ts';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';
import { Scene } from './scene.ts';

const c = await cluster();

describe('the configs of virtual machines, by a manager with the permissions of the chart', () => {
  let scene: Scene;
  let manager: RunningManager;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt'] });
    scene = await Scene.in(c);
    manager = await c.manager();
  });

  it('are created with the missing MAC addresses, also for machines created while the manager was down', async () => {
    await scene.pool('lan');
    await scene.virtualMachine({ lan: undefined }, { name: 'before' });
    await scene.untilConfig(({ spec }) => {
      expect(spec.networkConfigs).toHaveLength(1);
    }, 'before');
    await manager.stop('SIGKILL');
    await scene.virtualMachine({ lan: undefined }, { name: 'meanwhile' });
    await manager.start();
    const { spec } = await scene.untilConfig((config) => {
      expect(config.spec.networkConfigs).toHaveLength(1);
    }, 'meanwhile');
    const [nic] = (await scene.vm('meanwhile')).spec.template.spec.domain.devices.interfaces ?? [];
    expect(nic?.macAddress).toBe(spec.networkConfigs?.[0]?.macAddress);
  });

  it('are deleted with their machines', async () => {
    await c.client.delete(VIRTUAL_MACHINES, scene.ref('before'), { propagationPolicy: 'Background' });
    await eventually(
      async () => {
        expect(await scene.config('before')).toBeUndefined();
      },
      // kube-controller-manager discovers new kinds every 30 s.
      { timeout: 50_000 },
    );
  });
});
