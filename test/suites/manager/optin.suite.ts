import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LABELS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { SECRETS } from '@groundcrew/controller-runtime';
import { cluster, COLLECTED, eventually, type RunningManager } from '../../harness/index.ts';
import { Scene } from './scene.ts';

const c = await cluster();

describe('BMCs that virtual machines request', () => {
  let scene: Scene;
  let manager: RunningManager;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt', 'deployments'] });
    manager = await c.manager();
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createVirtualMachine();
  });

  async function annotate(value: string | null): Promise<void> {
    const metadata = { annotations: { 'bmc.kubevirt.io/enabled': value } };
    await c.client.patch(VIRTUAL_MACHINES, scene.ref('web'), 'merge', { metadata });
  }
  async function untilState(state: string | undefined): Promise<void> {
    await eventually(async () => {
      const { metadata } = await c.client.get(VIRTUAL_MACHINES, scene.ref('web'));
      expect(metadata.labels?.[LABELS.bmcState]).toBe(state);
    });
  }
  async function untilNoBmc(): Promise<void> {
    await eventually(async () => {
      expect((await c.client.list(VIRTUAL_MACHINE_BMCS, { namespace: scene.namespace })).items).toEqual([]);
    }, COLLECTED);
  }

  it('are made with a login of their own, are Provisioned when they answer, and go with the annotation', async () => {
    await annotate('true');
    await untilState('Provisioned');
    await scene.untilPhase('Ready', 'web');
    expect(Object.keys((await scene.secret('web-credentials')).data ?? {}).toSorted()).toEqual([
      'password',
      'username',
    ]);
    await scene.untilEvent('BMCCreated', 'web');

    // The changes of the VM and of the BMC while no manager runs count too.
    await manager.stop();
    await annotate(null);
    await manager.start();
    await untilNoBmc();
    await untilState(undefined);
    await scene.untilEvent('BMCRemoved', 'web');
  });

  it('are deleted with the virtual machine', async () => {
    await annotate('true');
    await untilState('Provisioned');
    await c.client.delete(VIRTUAL_MACHINES, scene.ref('web'));
    await untilNoBmc();
  });

  it('are not made beside the BMC of a user, who reads why in an Event', async () => {
    await scene.createSecret();
    const { metadata } = await scene.createBmc('mine');
    await annotate('true');
    await untilState('Failed');
    expect((await scene.untilEvent('BMCNotCreated', 'web')).message).toContain('has VirtualMachineBMC mine');
    await annotate(null);
    await untilState(undefined);
    expect((await scene.bmc('mine')).metadata.uid).toBe(metadata.uid);
  });

  it('stay with a user who has applied a manifest of it', async () => {
    await annotate('true');
    await untilState('Provisioned');
    const { uid } = (await scene.bmc('web')).metadata;
    const draft = { metadata: scene.ref('web'), spec: { virtualMachineRef: { name: 'web' } } };
    const manifest = { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', ...draft };
    await c.client.request({
      method: 'PATCH',
      path: `/apis/bmc.kubevirt.io/v1beta1/namespaces/${scene.namespace}/virtualmachinebmcs/web?fieldManager=argocd`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(manifest),
    });
    await annotate(null);
    await untilState(undefined);
    expect((await scene.bmc('web')).metadata).toMatchObject({ uid });
    expect((await scene.bmc('web')).metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('do not use the Secret of a user as their login, and are made when it is gone', async () => {
    await scene.createSecret('web-credentials');
    await annotate('true');
    await untilState('Failed');
    expect((await scene.untilEvent('BMCNotCreated', 'web')).message).toContain('Secret web-credentials');
    expect(await c.client.find(VIRTUAL_MACHINE_BMCS, scene.ref('web'))).toBeUndefined();
    await c.client.delete(SECRETS, scene.ref('web-credentials'));
    // Secrets of others are not watched; this change makes the manager look.
    await c.client.patch(VIRTUAL_MACHINES, scene.ref('web'), 'merge', { metadata: { labels: { look: 'again' } } });
    await untilState('Provisioned');
  });
});
