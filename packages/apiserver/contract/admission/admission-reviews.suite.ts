import { describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { webhookScene } from '../../../../test/harness/scenes/webhook-scene.ts';

const { http, namespace } = await cluster();
const scene = webhookScene({ http });
const { one, unique } = scene;

const MERGE = 'application/merge-patch+json';
const configMaps = (where: string) => `/api/v1/namespaces/${where}/configmaps`;
const create = async (where: string, metadata: object = { name: 'a' }) =>
  (await http('POST', configMaps(where), { body: { metadata, data: { k: 'v' } } })).body as {
    metadata: { name: string; uid: string; resourceVersion: string };
  };
const both = async (where: string) => [await one('mutating', where), await one('validating', where)] as const;
const rule = (operation: string, resource: string, group = '') => ({
  rules: [{ operations: [operation], apiGroups: [group], apiVersions: ['v1'], resources: [resource] }],
});

describe('a webhook is called', () => {
  it('for a create, with the new object', async () => {
    const where = await namespace();
    const [mutating, validating] = await both(where);
    const body = { metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v' } };
    await http('POST', `${configMaps(where)}?fieldManager=me&fieldValidation=Strict`, { body });
    const me = await http('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    const { userInfo } = (me.body as { status: { userInfo: unknown } }).status;
    const type = { group: '', version: 'v1', kind: 'ConfigMap' };
    const resource = { group: '', version: 'v1', resource: 'configmaps' };
    const managedFields = [expect.objectContaining({ manager: 'me', operation: 'Update' })];
    const [first] = scene.webhooks.reviews(mutating);
    expect(first).toEqual({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      kind: type,
      resource,
      requestKind: type,
      requestResource: resource,
      name: 'a',
      namespace: where,
      operation: 'CREATE',
      userInfo,
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        ...body,
        metadata: { ...body.metadata, namespace: where, managedFields },
      },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', fieldValidation: 'Strict' },
    });
    const [second] = scene.webhooks.reviews(validating);
    expect(second).toMatchObject({ operation: 'CREATE', object: { metadata: { uid: expect.any(String) as string } } });
    expect(second?.uid).not.toBe(first?.uid);
    expect(scene.webhooks.urls(mutating)).toEqual([`${mutating}?timeout=10s`]);
  });

  it('for a create with generateName, with the name in the validating review only', async () => {
    const where = await namespace();
    const [mutating, validating] = await both(where);
    const { name } = (await create(where, { generateName: 'gen-' })).metadata;
    const [first] = scene.webhooks.reviews(mutating);
    expect(first).not.toHaveProperty('name');
    expect(first?.object).not.toHaveProperty('metadata.name');
    expect(scene.webhooks.reviews(validating)).toMatchObject([{ name, object: { metadata: { name } } }]);
  });

  it.each([
    ['PUT', 'application/json', (metadata: object) => ({ metadata, data: { k: 'w' } })],
    ['PATCH', MERGE, () => ({ data: { k: 'w' } })],
    ['PATCH', 'application/json-patch+json', () => [{ op: 'replace', path: '/data/k', value: 'w' }]],
    ['PATCH', 'application/strategic-merge-patch+json', () => ({ data: { k: 'w' } })],
  ] as const)('for an update, with the old and the new object: %s %s', async (method, contentType, change) => {
    const where = await namespace();
    const { resourceVersion } = (await create(where)).metadata;
    const body = change({ name: 'a', resourceVersion });
    const paths = await both(where);
    expect((await http(method, `${configMaps(where)}/a?fieldManager=me`, { body, contentType })).status).toBe(200);
    for (const path of paths)
      expect(scene.webhooks.reviews(path)).toMatchObject([
        {
          operation: 'UPDATE',
          name: 'a',
          object: { data: { k: 'w' }, metadata: { resourceVersion } },
          oldObject: { kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' }, metadata: { resourceVersion } },
          options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
        },
      ]);
  });

  it('for an apply, which is a create or an update, and for an update without a change', async () => {
    const where = await namespace();
    const path = await one('validating', where);
    const apply = async (value: string) => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: value } };
      const contentType = 'application/apply-patch+yaml';
      await http('PATCH', `${configMaps(where)}/a?fieldManager=me`, { body, contentType });
    };
    for (const value of ['v', 'w', 'w']) await apply(value);
    const update = { operation: 'UPDATE', object: { data: { k: 'w' } }, options: { kind: 'UpdateOptions' } };
    // kube-apiserver may begin an update with the object before the last one, which its cache still has, and then calls again.
    const byOldObject = new Map(scene.webhooks.reviews(path).map((one) => [JSON.stringify(one['oldObject']), one]));
    expect([...byOldObject.values()]).toMatchObject([
      { operation: 'CREATE', object: { data: { k: 'v' } }, oldObject: null, options: { kind: 'CreateOptions' } },
      { ...update, oldObject: { data: { k: 'v' } } },
      { ...update, oldObject: { data: { k: 'w' } } },
    ]);
  });

  it('for a deletion, with the old object', async () => {
    const where = await namespace();
    await create(where);
    const paths = await both(where);
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    await http('DELETE', `${configMaps(where)}/a`, { body: options });
    for (const path of paths)
      expect(scene.webhooks.reviews(path)).toMatchObject([
        {
          operation: 'DELETE',
          name: 'a',
          namespace: where,
          object: null,
          oldObject: { kind: 'ConfigMap', data: { k: 'v' } },
          options: { ...options, apiVersion: 'meta.k8s.io/v1' },
        },
      ]);
  });

  it('for each object in the deletion of a collection, without its name in the request', async () => {
    const where = await namespace();
    for (const name of ['a', 'b', 'c']) await create(where, { name, labels: { doomed: name === 'c' ? 'no' : 'yes' } });
    const path = await one('validating', where);
    await http('DELETE', `${configMaps(where)}?labelSelector=doomed=yes`);
    const reviews = scene.webhooks.reviews(path);
    const names = reviews.map(({ oldObject }) => (oldObject as { metadata: { name: string } }).metadata.name);
    expect(names.sort()).toEqual(['a', 'b']);
    for (const review of reviews) {
      expect(review).toMatchObject({ operation: 'DELETE', namespace: where, object: null });
      expect(review).not.toHaveProperty('name');
    }
  });

  it('for deletions by the garbage collector', async () => {
    const where = await namespace();
    const { uid } = (await create(where, { name: 'owner' })).metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await create(where, { name: 'child', ownerReferences });
    const path = await one('validating', where);
    await http('DELETE', `${configMaps(where)}/owner`);
    await eventually(
      () => {
        expect(scene.webhooks.reviews(path)).toMatchObject([
          { operation: 'DELETE', name: 'owner' },
          { operation: 'DELETE', name: 'child', options: { preconditions: { uid: expect.any(String) as string } } },
        ]);
      },
      { timeout: 20_000 },
    );
  });

  it('for the content of a deleted namespace, which it can keep', async () => {
    const where = await namespace();
    await create(where);
    let allowed = false;
    await one('validating', where, () => ({ allowed }), rule('DELETE', 'configmaps'));
    await http('DELETE', `/api/v1/namespaces/${where}`);
    const get = async () => await http('GET', `/api/v1/namespaces/${where}`);
    const failure = { type: 'NamespaceDeletionContentFailure', status: 'True', reason: 'ContentDeletionFailed' };
    await eventually(
      async () => {
        const { status } = (await get()).body as { status: { conditions?: unknown[] } };
        expect(status.conditions).toEqual(expect.arrayContaining([expect.objectContaining(failure)]));
      },
      { timeout: 20_000 },
    );
    allowed = true;
    await eventually(
      async () => {
        expect((await get()).status).toBe(404);
      },
      { timeout: 40_000 },
    );
  });

  it('for a subresource', async () => {
    const where = await namespace();
    const labels = { app: 'd' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const deployments = `/apis/apps/v1/namespaces/${where}/deployments`;
    await http('POST', deployments, {
      body: { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } },
    });
    const status = await one('validating', where, undefined, rule('*', 'deployments/*', 'apps'));
    await http('PATCH', `${deployments}/d/status`, { body: { status: { replicas: 1 } }, contentType: MERGE });
    expect(scene.webhooks.reviews(status)).toMatchObject([
      {
        kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        subResource: 'status',
        requestSubResource: 'status',
        operation: 'UPDATE',
        name: 'd',
        object: { status: { replicas: 1 } },
      },
    ]);
  });

  it('for a namespace, with its own name as the namespace', async () => {
    const name = unique('inner');
    const labels = { mark: name };
    const selector = { namespaceSelector: { matchLabels: labels }, ...rule('*', 'namespaces') };
    const path = await one('validating', await namespace(), undefined, selector);
    await http('POST', '/api/v1/namespaces', { body: { metadata: { name, labels } } });
    await http('DELETE', `/api/v1/namespaces/${name}`);
    const operations = ['CREATE', 'DELETE'].map((operation) => ({ operation, name, namespace: name }));
    expect(scene.webhooks.reviews(path)).toMatchObject(operations);
  });
});
