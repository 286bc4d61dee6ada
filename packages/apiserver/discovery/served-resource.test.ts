import { describe, expect, it } from 'vitest';
import { aggregatedDiscovery } from './aggregated-discovery.ts';
import { readResourceList, resourceListItems } from './served-resource.ts';

const LIST = {
  kind: 'APIResourceList',
  groupVersion: 'toys.io/v1',
  resources: [
    { name: 'cars/start', namespaced: true, kind: 'Nothing', verbs: ['update'] },
    {
      name: 'dolls',
      singularName: 'doll',
      namespaced: false,
      kind: 'Doll',
      verbs: ['get', 'list'],
      shortNames: ['dl'],
      categories: ['toys'],
    },
    { name: 'dolls/scale', namespaced: false, group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get'] },
  ],
};

describe('the resource list of another server', () => {
  it('is converted to aggregated discovery, including subresources without their resource', () => {
    const [group] = aggregatedDiscovery([
      { name: 'toys.io', versions: [{ version: 'v1', resources: readResourceList(LIST) }] },
    ])['items'] as unknown[];
    const subresource = (name: string, responseKind: object, verbs: string[]) => ({
      subresource: name,
      responseKind,
      verbs,
    });
    expect(group).toEqual({
      metadata: { name: 'toys.io' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'cars',
              responseKind: { group: '', version: '', kind: '' },
              scope: 'Namespaced',
              singularResource: '',
              verbs: [],
              subresources: [subresource('start', { group: 'toys.io', version: 'v1', kind: 'Nothing' }, ['update'])],
            },
            {
              resource: 'dolls',
              responseKind: { group: 'toys.io', version: 'v1', kind: 'Doll' },
              scope: 'Cluster',
              singularResource: 'doll',
              verbs: ['get', 'list'],
              shortNames: ['dl'],
              categories: ['toys'],
              subresources: [subresource('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' }, ['get'])],
            },
          ],
        },
      ],
    });
  });

  it('makes the version stale if it has not been received', () => {
    expect(
      aggregatedDiscovery([{ name: 'toys.io', versions: [{ version: 'v1', resources: undefined }] }]),
    ).toMatchObject({
      items: [{ versions: [{ version: 'v1', freshness: 'Stale' }] }],
    });
    expect(readResourceList('nonsense')).toEqual([]);
  });

  it('survives a round trip', () => {
    const [doll, scale] = resourceListItems(readResourceList(LIST).slice(1));
    expect(doll).toMatchObject({ name: 'dolls', singularName: 'doll', shortNames: ['dl'] });
    expect(scale).toMatchObject({ name: 'dolls/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' });
  });
});
