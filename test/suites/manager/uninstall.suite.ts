import { expect, it } from 'vitest';
import { IP_LEASES, IP_POOLS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_NETWORK_CONFIGS } from '../../../api/index.ts';
import type { Kind, KubeObject } from '@groundcrew/controller-runtime';
import { cluster, COLLECTED, eventually } from '../../harness/index.ts';
import { mac, on, Scene as NetworkScene } from '../ipam/scene.ts';
import { Scene } from './scene.ts';

const c = await cluster();

/** Like `kubectl delete <kind> --all` in one namespace. */
async function deleteAll<T extends KubeObject>(kind: Kind<T>, namespace: string): Promise<void> {
  for (const { metadata } of (await c.client.list(kind, { namespace })).items)
    await c.client.delete(kind, { namespace, name: metadata.name });
  await eventually(async () => {
    const { items } = await c.client.list(kind, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([]);
  });
}

it('pools and network configs that are deleted as docs/install.md says leave no resource with a finalizer', async () => {
  // Before the manager starts, because it removes KubeVirt.
  const network = await NetworkScene.in(c);
  const manager = await c.manager();
  await network.createPool();
  await network.createConfig('web', [on(mac(1))]);
  await network.untilAddresses('web', '10.0.0.10');

  await deleteAll(IP_POOLS, network.namespace);
  await deleteAll(VIRTUAL_MACHINE_NETWORK_CONFIGS, network.namespace);
  await eventually(async () => {
    expect((await c.client.list(IP_LEASES, { namespace: network.namespace })).items).toEqual([]);
  }, COLLECTED);
  await network.close();
  await manager.stop();
});

it('BMCs that are deleted as docs/install.md says leave no resource with a finalizer', async () => {
  await c.standIns({ parts: ['kubevirt', 'deployments'] });
  const manager = await c.manager();
  const scene = await Scene.in(c);
  await scene.createVirtualMachine();
  await scene.createSecret();
  await scene.createBmc();
  await scene.untilPhase('Ready');

  await deleteAll(VIRTUAL_MACHINE_BMCS, scene.namespace);
  await manager.stop();
});
