import { beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, type ConfigMap } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';

const { client, http, namespace, clientFor, outage } = await cluster();

interface List {
  metadata: { resourceVersion: string; continue?: string };
  items: ConfigMap[];
}

describe('an API server that was killed and restarted', () => {
  let where: string;
  let path: string;
  let made: ConfigMap[];
  let page: List;
  let before: string;

  const list = async (query = '') => (await http('GET', `${path}${query}`)).body as List;
  /** Without the ConfigMaps of the server. */
  const names = ({ items }: List): string[] =>
    items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('object-'));
  const create = async (name: string): Promise<ConfigMap> =>
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: where, name },
      data: { text: 'ü' },
    });

  beforeAll(async () => {
    where = await namespace();
    path = `/api/v1/namespaces/${where}/configmaps`;
    made = [await create('object-a'), await create('object-b'), await create('object-c')];
    page = await list('?fieldSelector=metadata.name!=kube-root-ca.crt&limit=1');
    await create('object-d');
    await client.delete(CONFIG_MAPS, { namespace: where, name: 'object-b' });
    before = (await list()).metadata.resourceVersion;
    await outage.begin();
    await outage.end();
    await eventually(async () => {
      expect((await http('GET', path)).status).toBe(200);
    });
  });

  it('has the same objects', async () => {
    const found = await list();
    expect(names(found)).toEqual(['object-a', 'object-c', 'object-d']);
    expect(await client.get(CONFIG_MAPS, { namespace: where, name: 'object-a' })).toEqual(made[0]);
    expect(Number(found.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(before));
  });

  it('continues lists and has the states of before', async () => {
    const { resourceVersion, continue: token = '' } = page.metadata;
    const rest = await list(`?limit=10&continue=${token}`);
    expect(names(rest)).toEqual(['object-b', 'object-c']);
    expect(rest.metadata.resourceVersion).toBe(resourceVersion);
    const exact = await list(`?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    expect(names(exact)).toEqual(['object-a', 'object-b', 'object-c']);
  });

  it('does not continue watches, because its watch cache is new', async () => {
    const { resourceVersion } = page.metadata;
    expect(await http('GET', `${path}?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=5`)).toMatchObject({
      status: 200,
      body: { type: 'ERROR', object: { kind: 'Status', reason: 'Expired', code: 410 } },
    });
  });

  it('continues to count versions', async () => {
    const { resourceVersion } = (await list()).metadata;
    const { metadata } = await create('object-e');
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
    const query = `?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=1`;
    expect((await http('GET', `${path}${query}`)).body).toMatchObject({ type: 'ADDED', object: { metadata } });
  });

  it('accepts tokens that it issued before', async () => {
    const visitor = await clientFor({ namespace: where, name: 'visitor' });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const ask = async (): Promise<unknown> => {
      const answer = await visitor.request({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(review),
      });
      return (answer as { status: unknown }).status;
    };
    const known = await ask();
    await outage.begin();
    await outage.end();
    expect(await eventually(ask)).toEqual(known);
  });
});
