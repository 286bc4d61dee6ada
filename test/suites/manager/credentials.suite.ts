import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agentName, credentialsSecretName, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { ROLES, SECRETS } from '@groundcrew/controller-runtime';
import { cluster, COLLECTED, eventually } from '../../harness/index.ts';
import { Scene } from './scene.ts';

const c = await cluster();
const MADE = credentialsSecretName('web-bmc');

describe('the credentials of a BMC', () => {
  let scene: Scene;

  const createBmcWithoutSecret = () =>
    c.client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: scene.ref('web-bmc'),
      spec: { virtualMachineRef: { name: 'web' } },
    });
  const secretNames = async () =>
    (await c.client.get(ROLES, scene.ref(agentName('web')))).rules?.find(({ resources }) =>
      resources?.includes('secrets'),
    )?.resourceNames;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt', 'deployments'] });
    await c.manager();
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createVirtualMachine();
  });

  it('are generated if the spec names none, and stay the same', async () => {
    await createBmcWithoutSecret();
    await scene.untilPhase('Ready');
    const { data, metadata } = await scene.secret(MADE);
    expect(Buffer.from(data?.['password'] ?? '', 'base64').toString()).toMatch(/^[2-9A-HJ-NP-Za-km-z]{16}$/);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachineBMC', name: 'web-bmc', controller: true }]);
    await scene.patchBmc({ ipmi: { cipherSuites: [17] } });
    await scene.untilPhase('Ready');
    expect((await scene.secret(MADE)).data).toEqual(data);
    expect(await secretNames()).toEqual([MADE]);
  });

  it('are never overwritten, regardless of who created or changed them', async () => {
    await scene.createSecret(MADE, { username: 'mine', password: 'mine' });
    await createBmcWithoutSecret();
    await scene.untilPhase('Ready');
    const { data } = await scene.secret(MADE);
    expect(Buffer.from(data?.['username'] ?? '', 'base64').toString()).toBe('mine');
  });

  it('are generated again if they are deleted', async () => {
    await createBmcWithoutSecret();
    await scene.untilPhase('Ready');
    const { metadata } = await scene.secret(MADE);
    await c.client.delete(SECRETS, scene.ref(MADE));
    await eventually(async () => {
      expect((await scene.secret(MADE)).metadata.uid).not.toBe(metadata.uid);
    });
  });

  it('follow the spec to a Secret of the user, including the permissions of the agent', async () => {
    await createBmcWithoutSecret();
    await scene.untilPhase('Ready');
    await scene.createSecret();
    await scene.patchBmc({ authSecretRef: { name: 'creds' } });
    await eventually(async () => {
      expect(await secretNames()).toEqual(['creds']);
      expect(await c.client.find(SECRETS, scene.ref(MADE))).toBeUndefined();
    });
    await scene.untilPhase('Ready');
    const { data } = await scene.secret('creds');
    expect(Object.keys(data ?? {}).sort()).toEqual(['password', 'username']);
    await scene.patchBmc({ authSecretRef: null });
    await eventually(async () => {
      expect(await secretNames()).toEqual([MADE]);
      await scene.secret(MADE);
    });
  });

  it('in a Secret of the user are kept when the BMC is deleted', async () => {
    await scene.createSecret();
    await scene.createBmc();
    await scene.untilPhase('Ready');
    await scene.deleteBmc();
    await eventually(async () => {
      expect(await scene.findService()).toBeUndefined();
    }, COLLECTED);
    expect((await scene.secret('creds')).metadata.ownerReferences).toBeUndefined();
  });
});
