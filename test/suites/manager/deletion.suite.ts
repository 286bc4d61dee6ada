import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  agentName,
  BOOT_OVERRIDE_ANNOTATION,
  bootOrderPatch,
  bootOrdersOf,
  savedBootOf,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineBMC,
  vmNotePatch,
} from '../../../api/index.ts';
import { PODS, SECRETS, type Draft } from '@groundcrew/controller-runtime';
import { cluster, COLLECTED, eventually } from '../../harness/index.ts';
import { CHILDREN, Scene } from './scene.ts';
import { startStorm } from './storm.ts';

const c = await cluster();

describe('the deletion of a BMC', () => {
  let scene: Scene;

  /** What an agent of an earlier version wrote when a client requested a network boot. */
  async function overrideBoot(name = 'web'): Promise<void> {
    const vm = await virtualMachine(name);
    const saved = savedBootOf(vm, 'Pxe');
    const bootOverride = { mode: 'Oneshot', target: 'Pxe', vmUID: vm.metadata.uid, vmiUID: '', ...saved };
    await bootFromNetwork(name);
    const draft = { metadata: scene.ref('web-bmc'), status: { bootOverride } } as unknown as Draft<VirtualMachineBMC>; // an apply to the status has no spec
    // A separate field manager: the simulated agents apply the status without the override.
    await c.client.apply(VIRTUAL_MACHINE_BMCS, draft, {
      subresource: 'status',
      fieldManager: 'groundcrew-agent-bmc-boot',
      force: true,
    });
  }
  /** The write requires the version that was read, and KubeVirt writes too. */
  const bootFromNetwork = (name = 'web', note?: object) =>
    eventually(async () => {
      const vm = await virtualMachine(name);
      const noteOps = note === undefined ? [] : vmNotePatch(vm, BOOT_OVERRIDE_ANNOTATION, note);
      await c.client.patch(VIRTUAL_MACHINES, scene.ref(name), 'json', [...bootOrderPatch(vm, 'Pxe'), ...noteOps]);
    });
  const virtualMachine = (name = 'web'): Promise<VirtualMachine> => c.client.get(VIRTUAL_MACHINES, scene.ref(name));
  const currentOrders = async (name = 'web') => bootOrdersOf(await virtualMachine(name));
  const untilGone = () =>
    eventually(async () => {
      expect(await c.client.find(VIRTUAL_MACHINE_BMCS, scene.ref('web-bmc'))).toBeUndefined();
    });

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt', 'deployments'] });
    await c.manager();
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createVirtualMachine();
    await scene.createSecret();
    await scene.createBmc();
    await scene.untilPhase('Ready');
  });

  it('leaves nothing behind', async () => {
    await scene.deleteBmc();
    await untilGone();
    await eventually(async () => {
      for (const kind of CHILDREN)
        expect(await c.client.find(kind, scene.ref(agentName('web'))), kind.kind).toBeUndefined();
      expect((await c.client.list(PODS, { namespace: scene.namespace })).items).toEqual([]);
      expect(
        (await c.client.list(SECRETS, { namespace: scene.namespace })).items.map(({ metadata }) => metadata.name),
      ).toEqual(['creds']);
    }, COLLECTED);
  });

  it('first restores the boot order of the virtual machine', async () => {
    await overrideBoot();
    expect(await currentOrders()).toEqual({ 'disk:root': 2, 'interface:default': 1 });
    await scene.deleteBmc();
    await untilGone();
    expect(await currentOrders()).toEqual({ 'disk:root': 1, 'interface:default': 0 });
    await scene.untilEvent('BootOrderRestored');
  });

  it('first restores it from the annotation of the virtual machine, if the status was lost in a restore', async () => {
    const saved = savedBootOf(await virtualMachine(), 'Pxe');
    await bootFromNetwork('web', { mode: 'Oneshot', target: 'Pxe', vmiUID: '', ...saved });
    await scene.deleteBmc();
    await untilGone();
    expect(await currentOrders()).toEqual({ 'disk:root': 1, 'interface:default': 0 });
    const { annotations } = (await virtualMachine()).metadata;
    expect(Object.keys(annotations ?? {}).filter((name) => name.startsWith('bmc.'))).toEqual([]);
  });

  it('does not wait for a deleted virtual machine', async () => {
    await overrideBoot();
    await c.client.delete(VIRTUAL_MACHINES, scene.ref('web'));
    await scene.deleteBmc();
    await untilGone();
  });

  it('does not change a new virtual machine with the same name', async () => {
    await overrideBoot();
    await c.client.delete(VIRTUAL_MACHINES, scene.ref('web'));
    await eventually(async () => {
      expect(await c.client.find(VIRTUAL_MACHINES, scene.ref('web'))).toBeUndefined();
    });
    await scene.createVirtualMachine();
    await bootFromNetwork();
    await scene.deleteBmc();
    await untilGone();
    expect(await currentOrders()).toEqual({ 'disk:root': 2, 'interface:default': 1 });
  });

  it('is not needed to restore a virtual machine that the BMC no longer names', async () => {
    await scene.createVirtualMachine('db');
    await overrideBoot('db');
    await eventually(async () => {
      expect(await currentOrders('db')).toEqual({ 'disk:root': 1, 'interface:default': 0 });
    });
    await scene.untilEvent('BootOrderRestored');
    expect(await currentOrders()).toEqual({ 'disk:root': 1, 'interface:default': 0 });
  });

  it('completes while the virtual machine changes all the time', async () => {
    await overrideBoot();
    const storm = startStorm(c.client, VIRTUAL_MACHINES, scene.ref('web'));
    await scene.deleteBmc();
    await untilGone();
    await storm.end();
    expect(await currentOrders()).toEqual({ 'disk:root': 1, 'interface:default': 0 });
  });

  it('permits a new BMC with the same name', async () => {
    const { metadata } = await scene.untilService();
    await scene.deleteBmc();
    await untilGone();
    await scene.createBmc();
    await scene.untilPhase('Ready');
    const { metadata: next } = await scene.service();
    expect(next.uid).not.toBe(metadata.uid);
    expect(next.ownerReferences?.[0]?.uid).toBe((await scene.bmc()).metadata.uid);
  });
});
