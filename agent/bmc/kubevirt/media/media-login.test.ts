import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../../../api/index.ts';
import type { KubeClient, Secret } from '@groundcrew/controller-runtime';
import { aBmc } from '../../testing/builders.ts';
import { MediaLogin } from './media-login.ts';

const PLAIN = { url: new URL('http://images.example/a.iso') };
const LOGIN = { ...PLAIN, login: { userName: 'maker', password: 'hush' } };
const SIGNED = { url: new URL('https://images.example/a.iso?X-Amz-Signature=hush') };
const MASKED = { slot: 'Cd', image: 'https://images.example/a.iso?***' };

/** The BMC `vms/a-bmc` with that uid. */
function bmc(uid: string): VirtualMachineBMC {
  const { metadata, ...rest } = aBmc();
  return { ...rest, metadata: { ...metadata, uid } };
}

function aSecret(owner: string, data: Record<string, string> = {}): Secret {
  const ownerReferences = [
    { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', name: 'a-bmc', uid: owner },
  ];
  const metadata = {
    namespace: 'vms',
    name: 'a-bmc-cd-login',
    uid: `of ${owner}`,
    resourceVersion: '7',
    ownerReferences,
  };
  return { apiVersion: 'v1', kind: 'Secret', metadata, data };
}

/** An API server with this Secret, or where another client creates `inTheWay` before the first apply. */
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
  // Only these methods are used.
  const login = new MediaLogin(client as unknown as KubeClient, { namespace: 'vms', name: 'a-bmc' }, 'Cd');
  return { login, applied, deleted };
}

const DATA = {
  accessKeyId: Buffer.from('maker').toString('base64'),
  secretKey: Buffer.from('hush').toString('base64'),
};

describe('the password for an image server', () => {
  it('is written to the Secret of the BMC, over the version that was read', async () => {
    const { login, applied } = bench(aSecret('one'));
    await login.keep(bmc('one'), LOGIN);
    expect(applied).toMatchObject([{ metadata: { uid: 'of one', resourceVersion: '7' }, data: DATA }]);
  });

  it('is not written to the Secret of a deleted BMC of the same name, which is not deleted either', async () => {
    const { login, applied, deleted } = bench(aSecret('one', DATA));
    await expect(login.keep(bmc('two'), LOGIN)).rejects.toMatchObject({
      code: 'InvalidState',
      message: expect.stringContaining('belongs to another owner') as string,
    });
    await login.drop(bmc('two'));
    expect([applied, deleted]).toEqual([[], []]);
  });

  it('is written in a second step if the Secret does not exist yet', async () => {
    const { login, applied } = bench(undefined);
    await login.keep(bmc('one'), LOGIN);
    expect(applied).toMatchObject([
      { metadata: { name: 'a-bmc-cd-login' } },
      { metadata: { uid: 'made', resourceVersion: '1' }, data: DATA },
    ]);
    expect(applied[0]?.data).toBeUndefined();
  });

  it.each([
    ['of another BMC', aSecret('other')],
    ['of a user', aSecret('one', { key: 'theirs' })],
  ])(
    'is not written to a Secret %s that was created concurrently, and its metadata is restored',
    async (_what, inTheWay) => {
      inTheWay.metadata.ownerReferences?.push({ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' });
      const { login, applied } = bench(undefined, inTheWay);
      await expect(login.keep(bmc('one'), LOGIN)).rejects.toMatchObject({ code: 'InvalidState' });
      expect(JSON.stringify(applied)).not.toContain(DATA.secretKey);
      expect(applied.at(-1)).toEqual({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'vms', name: 'a-bmc-cd-login', uid: inTheWay.metadata.uid },
      });
    },
  );

  it('is deleted with its Secret if no login is needed', async () => {
    const { login, deleted } = bench(aSecret('one', DATA));
    await login.keep(bmc('one'), PLAIN);
    expect(deleted).toEqual([{ uid: 'of one' }]);
    const none = bench(undefined);
    await none.login.keep(bmc('one'), PLAIN);
    expect(none.deleted).toEqual([]);
  });
});

describe('the URL of an image that has a query', () => {
  it('is in the Secret of the BMC until the volume has it', async () => {
    const { login, applied } = bench(undefined);
    await login.keep(bmc('one'), SIGNED);
    const { data = {} } = applied.at(-1) ?? {};
    expect(Object.keys(data)).toEqual(['url']);
    const kept = bench(aSecret('one', data)).login;
    expect(await kept.urlOf(bmc('one'), MASKED)).toBe(SIGNED.url.href);
    // The Secret is that of another insertion, or of another BMC.
    expect(await kept.urlOf(bmc('one'), { ...MASKED, image: 'https://images.example/b.iso?***' })).toBeUndefined();
    expect(await kept.urlOf(bmc('two'), MASKED)).toBeUndefined();
    expect(await bench(undefined).login.urlOf(bmc('one'), MASKED)).toBeUndefined();
    expect(await kept.urlOf(bmc('one'), { ...MASKED, image: PLAIN.url.href })).toBe(PLAIN.url.href);
  });
});
