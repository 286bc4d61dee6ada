import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, NAMESPACES } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';

const { client, namespace, outage, clientFor } = await cluster();

const configMap = (where: string, name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: where, name },
  data: { colour: 'green' },
});

describe('a test cluster', () => {
  it('gives each caller its own namespace', async () => {
    const [one, other] = [await namespace(), await namespace()];
    expect(one).not.toBe(other);
    expect((await client.get(NAMESPACES, { name: one })).metadata.name).toBe(one);
  });

  it('authenticates a service account with a token from the TokenRequest API', async () => {
    const where = await namespace();
    const account = await clientFor({ namespace: where, name: 'visitor' });
    const review = await account.request({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
    });
    expect(review).toMatchObject({ status: { userInfo: { username: `system:serviceaccount:${where}:visitor` } } });
  });

  it('keeps its stored objects during an outage of the API server', async () => {
    const where = await namespace();
    await client.create(CONFIG_MAPS, configMap(where, 'kept'));
    await outage.begin();
    // An open connection may break first.
    await eventually(async () => {
      await expect(client.get(CONFIG_MAPS, { namespace: where, name: 'kept' })).rejects.toThrow('ECONNREFUSED');
    });
    await outage.end();
    const found = await eventually(() => client.get(CONFIG_MAPS, { namespace: where, name: 'kept' }));
    expect(found.data).toEqual({ colour: 'green' });
  });
});
