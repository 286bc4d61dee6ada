import { beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, type ConfigMap } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../../../test/harness/index.ts';

const { client, http, namespace, clientFor, outage } = await cluster();

interface List {
  metadata: { resourceVersion: string; continue?: string };
  items: ConfigMap[];
}

describe('an API server that was killed and started again', () => {
  let where: string;
  let path: string;
  let made: ConfigMap[];
  let page: List;
  let before: string;

  /** Those that the test has made: some servers put one of their own there. */
  const namesIn = (body: unknown): string[] =>
    (body as List).items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('object-'));
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
    const selected = `${path}?fieldSelector=metadata.name!=kube-root-ca.crt&limit=1`;
    page = (await http('GET', selected)).body as List; // of a list
    await create('object-d');
    await client.delete(CONFIG_MAPS, { namespace: where, name: 'object-b' });
    before = ((await http('GET', path)).body as List).metadata.resourceVersion;
    await outage.begin();
    await outage.end();
    await eventually(async () => {
      expect((await http('GET', path)).status).toBe(200);
    });
  });

  it('has each object as it was, and none that was deleted', async () => {
    const { body } = await http('GET', path);
    expect(namesIn(body)).toEqual(['object-a', 'object-c', 'object-d']);
    expect(await client.get(CONFIG_MAPS, { namespace: where, name: 'object-a' })).toEqual(made[0]);
    expect(Number((body as List).metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(before));
  });

  it('goes on with a list whose first page it gave before', async () => {
    const { status, body } = await http('GET', `${path}?limit=10&continue=${page.metadata.continue ?? ''}`);
    expect(status).toBe(200);
    expect(namesIn(body)).toEqual(['object-b', 'object-c']);
    expect((body as List).metadata.resourceVersion).toBe(page.metadata.resourceVersion);
  });

  it('shows what was there at a resourceVersion of before', async () => {
    const { resourceVersion } = page.metadata;
    const { body } = await http('GET', `${path}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    expect(namesIn(body)).toEqual(['object-a', 'object-b', 'object-c']);
  });

  it('has no watch from before: its watch cache begins with what is there', async () => {
    const { resourceVersion } = page.metadata;
    const { status, body } = await http('GET', `${path}?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=5`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'ERROR',
      object: {
        kind: 'Status',
        status: 'Failure',
        reason: 'Expired',
        code: 410,
        message: expect.stringMatching(`^too old resource version: ${resourceVersion} \\(\\d+\\)$`) as string,
      },
    });
  });

  it('counts on, and tells watches of what is new', async () => {
    const { metadata } = (await http('GET', path)).body as List;
    const created = await create('object-e');
    expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
    const watch = `${path}?watch=1&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=1`;
    expect((await http('GET', watch)).body).toMatchObject({ type: 'ADDED', object: { metadata: created.metadata } });
  });

  it('knows the service accounts that it gave tokens to', async () => {
    const visitor = await clientFor({ namespace: where, name: 'visitor' });
    const ask = async (): Promise<unknown> => {
      const review = await visitor.request({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      });
      return (review as { status: unknown }).status; // of every SelfSubjectReview
    };
    const known = await ask();
    await outage.begin();
    await outage.end();
    expect(await eventually(ask)).toEqual(known);
  });
});
