import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../../../api/index.ts';
import type { KubeClient, Secret } from '@groundcrew/controller-runtime';
import { MediaLogin } from './media-login.ts';

const LOGIN = { userName: 'maker', password: 'hush' };

function aBmc(uid: string): VirtualMachineBMC {
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: { namespace: 'n', name: 'a', uid },
    spec: { virtualMachineRef: { name: 'a-vm' } },
  }; // what the API server fills in does not matter here
}

function aSecret(owner: string, data: Record<string, string> = {}): Secret {
  const ownerReferences = [{ apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', name: 'a', uid: owner }];
  const metadata = { namespace: 'n', name: 'a-cd-login', uid: `of ${owner}`, resourceVersion: '7', ownerReferences };
  return { apiVersion: 'v1', kind: 'Secret', metadata, data };
}

/** An API server that has this Secret, or to whose first apply somebody else's has come first. */
function bench(found: Secret | undefined, inTheWay?: Secret) {
  const applied: Partial<Secret>[] = [];
  const deleted: unknown[] = [];
  const client = {
    find: () => Promise.resolve(found),
    apply: (_kind: unknown, draft: Secret) => {
      applied.push(draft);
      const made = { ...draft.metadata, uid: 'made', resourceVersion: '1' };
      return Promise.resolve(inTheWay ?? { ...draft, metadata: { ...made, ...draft.metadata } });
    },
    delete: (_kind: unknown, _ref: unknown, options: unknown) => {
      deleted.push(options);
      return Promise.resolve();
    },
  };
  // Of a client, these are what it uses.
  const login = new MediaLogin(client as unknown as KubeClient, { namespace: 'n', name: 'a' });
  return { login, applied, deleted };
}

const DATA = {
  accessKeyId: Buffer.from('maker').toString('base64'),
  secretKey: Buffer.from('hush').toString('base64'),
};

describe('the password for an image server', () => {
  it('goes into the Secret of that very BMC, as it was read', async () => {
    const { login, applied } = bench(aSecret('one'));
    await login.keep(aBmc('one'), LOGIN);
    expect(applied).toMatchObject([{ metadata: { uid: 'of one', resourceVersion: '7' }, data: DATA }]);
  });

  it('goes into no Secret of a BMC that was deleted and made anew under its name, nor is that deleted', async () => {
    const { login, applied, deleted } = bench(aSecret('one', DATA));
    await expect(login.keep(aBmc('two'), LOGIN)).rejects.toMatchObject({
      code: 'InvalidState',
      message: expect.stringContaining('belongs to another owner') as string,
    });
    await login.drop(aBmc('two'));
    expect([applied, deleted]).toEqual([[], []]);
  });

  it('comes second where the Secret has to be made, into what was made', async () => {
    const { login, applied } = bench(undefined);
    await login.keep(aBmc('one'), LOGIN);
    expect(applied).toMatchObject([
      { metadata: { name: 'a-cd-login' } },
      { metadata: { uid: 'made', resourceVersion: '1' }, data: DATA },
    ]);
    expect(applied[0]?.data).toBeUndefined();
  });

  it.each([
    ['of another BMC', aSecret('other')],
    ['of a person', aSecret('one', { key: 'theirs' })],
  ])(
    'does not go into a Secret %s that was made meanwhile, and what was set there is taken away again',
    async (_what, inTheWay) => {
      inTheWay.metadata.ownerReferences?.push({ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' });
      const { login, applied } = bench(undefined, inTheWay);
      await expect(login.keep(aBmc('one'), LOGIN)).rejects.toMatchObject({ code: 'InvalidState' });
      expect(JSON.stringify(applied)).not.toContain(DATA.secretKey);
      expect(applied.at(-1)).toEqual({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'n', name: 'a-cd-login', uid: inTheWay.metadata.uid },
      });
    },
  );

  it('is deleted where none is needed, in that very Secret', async () => {
    const { login, deleted } = bench(aSecret('one', DATA));
    await login.keep(aBmc('one'), undefined);
    expect(deleted).toEqual([{ uid: 'of one' }]);
    const none = bench(undefined);
    await none.login.keep(aBmc('one'), undefined);
    expect(none.deleted).toEqual([]);
  });
});
