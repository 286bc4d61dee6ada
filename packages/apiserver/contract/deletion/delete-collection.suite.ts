import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';

const { http, namespace } = await cluster();

let where = '';
let configMaps = '';
beforeAll(async () => {
  where = await namespace();
  configMaps = `/api/v1/namespaces/${where}/configmaps`;
});
let count = 0;
/** A label that what one test makes has, and nothing else. */
const mark = () => `m-${(count += 1)}`;
const make = async (label: string, names: string[], metadata: Record<string, unknown> = {}) => {
  for (const name of names)
    await http('POST', configMaps, {
      body: { metadata: { name: `${label}-${name}`, labels: { mark: label, name }, ...metadata } },
    });
};
interface List {
  kind: string;
  items: { metadata: { name: string; labels: { name: string }; deletionTimestamp?: string } }[];
  metadata: { continue?: string; remainingItemCount?: number };
}
const namesOf = (body: unknown) => (body as List).items.map(({ metadata }) => metadata.labels.name);
const left = async (label: string) => namesOf((await http('GET', `${configMaps}?labelSelector=mark=${label}`)).body);

describe('a DELETE of a collection', () => {
  it('deletes what its selector chooses, and lists it', async () => {
    const label = mark();
    await make(label, ['a', 'b', 'c']);
    const answer = await http('DELETE', `${configMaps}?labelSelector=mark=${label},name!=b`);
    expect(answer.status).toBe(200);
    expect((answer.body as List).kind).toBe('ConfigMapList');
    expect(namesOf(answer.body)).toEqual(['a', 'c']);
    expect(await left(label)).toEqual(['b']);
  });

  it('chooses by fields as well', async () => {
    const label = mark();
    await make(label, ['a', 'b']);
    const answer = await http('DELETE', `${configMaps}?fieldSelector=metadata.name=${label}-b`);
    expect(namesOf(answer.body)).toEqual(['b']);
    expect(await left(label)).toEqual(['a']);
  });

  it('that chooses nothing deletes nothing', async () => {
    const answer = await http('DELETE', `${configMaps}?labelSelector=mark=nothing`);
    expect(answer).toMatchObject({ status: 200, body: { kind: 'ConfigMapList', items: [] } });
  });

  it('deletes no more than its limit', async () => {
    const label = mark();
    await make(label, ['a', 'b', 'c']);
    const answer = await http('DELETE', `${configMaps}?labelSelector=mark=${label}&limit=2`);
    expect(namesOf(answer.body)).toEqual(['a', 'b']);
    expect(await left(label)).toEqual(['c']);
  });

  it('marks what is held, and shows it as it was', async () => {
    const label = mark();
    await make(label, ['a'], { finalizers: ['test.io/hold'] });
    const { body } = await http('DELETE', `${configMaps}?labelSelector=mark=${label}`);
    expect(namesOf(body)).toEqual(['a']);
    expect((body as List).items[0]?.metadata).not.toHaveProperty('deletionTimestamp');
    const found = await http('GET', `${configMaps}/${label}-a`);
    expect(found.body).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) as string } });
    await http('PATCH', `${configMaps}/${label}-a`, {
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    });
  });

  it('takes the options of a deletion in its body', async () => {
    const label = mark();
    await make(label, ['a', 'b']);
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground', dryRun: ['All'] };
    const answer = await http('DELETE', `${configMaps}?labelSelector=mark=${label}`, { body });
    expect(namesOf(answer.body)).toEqual(['a', 'b']);
    expect(await left(label)).toEqual(['a', 'b']);
    await http('DELETE', `${configMaps}?labelSelector=mark=${label}&dryRun=All`);
    expect(await left(label)).toEqual(['a', 'b']);
    await http('DELETE', `${configMaps}?labelSelector=mark=${label}`);
    expect(await left(label)).toEqual([]);
  });

  it('refuses options and selectors that are none', async () => {
    expect((await http('DELETE', configMaps, { body: { propagationPolicy: 'Some' } })).status).toBe(422);
    expect((await http('DELETE', `${configMaps}?labelSelector=a%20b%20c`)).status).toBe(400);
    expect((await http('DELETE', `${configMaps}?fieldSelector=data.k=v`)).status).toBe(400);
  });

  it('gives pods their time', async () => {
    const pods = `/api/v1/namespaces/${where}/pods`;
    const containers = [{ name: 'a', image: 'b' }];
    await http('POST', pods, { body: { metadata: { name: 'idle' }, spec: { containers } } });
    await http('POST', pods, { body: { metadata: { name: 'busy' }, spec: { containers, nodeName: 'nowhere' } } });
    await http('DELETE', pods);
    expect((await http('GET', `${pods}/idle`)).status).toBe(404);
    expect((await http('GET', `${pods}/busy`)).body).toMatchObject({ metadata: { deletionGracePeriodSeconds: 30 } });
    await http('DELETE', pods, { body: { gracePeriodSeconds: 0 } });
    expect((await http('GET', `${pods}/busy`)).status).toBe(404);
  });

  it('is not for a kind in all namespaces, nor for namespaces', async () => {
    for (const path of [
      '/api/v1/configmaps',
      '/api/v1/namespaces',
      '/api/v1/services',
      `/api/v1/namespaces/${where}/nosuch`,
    ]) {
      const { status } = await http('DELETE', `${path}?labelSelector=mark=nothing`);
      expect([path, status]).toEqual([
        path,
        path === '/api/v1/configmaps' || path.endsWith('namespaces') || path.endsWith('services') ? 405 : 404,
      ]);
    }
  });
});
