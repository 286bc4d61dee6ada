import { beforeAll, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { NAMESPACES, ROLE_BINDINGS } from '@groundcrew/controller-runtime';
import { cluster, COLLECTED, eventually } from '../../harness/index.ts';
import { Scene } from './scene.ts';

const c = await cluster();

beforeAll(async () => {
  await c.standIns({ parts: ['kubevirt', 'deployments'] });
});

/** A namespace with a BMC, and a manager with permissions in this namespace only. */
async function watchedScene(): Promise<Scene> {
  const scene = await Scene.in(c);
  const watchNamespaces = [scene.namespace];
  await c.manager({ watchNamespaces, set: [`watchNamespaces={${scene.namespace}}`] });
  await scene.createVirtualMachine();
  await scene.createSecret();
  await scene.createBmc();
  await scene.untilPhase('Ready');
  return scene;
}

it('the deletion of a watched namespace ends if it deletes the RoleBinding of the manager before the BMCs', async () => {
  const { namespace } = await watchedScene();
  // The namespace controller deletes in the order of a Go map, which is random.
  const binding = { namespace, name: 'groundcrew-manager' };
  if ((await c.client.find(ROLE_BINDINGS, binding)) !== undefined) await c.client.delete(ROLE_BINDINGS, binding);
  await c.client.delete(NAMESPACES, { name: namespace });
  await eventually(async () => {
    expect(await c.client.find(NAMESPACES, { name: namespace })).toBeUndefined();
  }, COLLECTED);
});

it('the RoleBinding that a manager adds in a watched namespace goes with the last BMC', async () => {
  const scene = await watchedScene();
  const added = () => c.client.find(ROLE_BINDINGS, scene.ref('groundcrew-finalizers'));
  if ((await c.client.find(ROLE_BINDINGS, scene.ref('groundcrew-manager'))) !== undefined)
    expect(await added()).toBeDefined();
  await scene.deleteBmc();
  await eventually(async () => {
    expect(await added()).toBeUndefined();
  });
});

it('a manager that provisions BMCs makes one for each VM of a watched namespace that does not opt out', async () => {
  const scene = await Scene.in(c);
  const { namespace } = scene;
  const metadata = { annotations: { 'bmc.kubevirt.io/enabled': 'false' } };
  await scene.createVirtualMachine('without');
  await c.client.patch(VIRTUAL_MACHINES, scene.ref('without'), 'merge', { metadata });
  await scene.createVirtualMachine();
  await c.manager({
    watchNamespaces: [namespace],
    set: [`watchNamespaces={${namespace}}`],
    args: ['--auto-provision-bmcs'],
  });
  await scene.untilPhase('Ready', 'web');
  const { items } = await c.client.list(VIRTUAL_MACHINE_BMCS, { namespace });
  expect(items.map(({ metadata: { name, annotations } }) => [name, annotations])).toEqual([
    ['web', { 'bmc.kubevirt.io/requested-by': 'autoProvision' }],
  ]);
});
