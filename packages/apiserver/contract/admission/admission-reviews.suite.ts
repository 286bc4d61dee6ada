import { describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { webhookScene } from '../../../../test/harness/scenes/webhook-scene.ts';

const { http, namespace } = await cluster();
const scene = webhookScene({ http });
const { one, unique } = scene;

const configMaps = (where: string) => `/api/v1/namespaces/${where}/configmaps`;
const MERGE = 'application/merge-patch+json';

const deployments = {
  rules: [{ operations: ['*'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/*', 'deployments'] }],
};
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'a', image: 'b' }] } },
  },
});

describe('a webhook is asked', () => {
  it('about a create, with the object as it is to be', async () => {
    const where = await namespace();
    const [mutating, validating] = [await one('mutating', where), await one('validating', where)];
    const body = { metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v' } };
    const { status } = await http('POST', `${configMaps(where)}?fieldManager=me&fieldValidation=Strict`, { body });
    expect(status).toBe(201);
    const me = await http('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    const { userInfo } = (me.body as { status: { userInfo: unknown } }).status;
    const [first] = scene.webhooks.reviews(mutating);
    expect(first).toEqual({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace: where,
      operation: 'CREATE',
      userInfo,
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          name: 'a',
          namespace: where,
          labels: { x: 'y' },
          managedFields: [expect.objectContaining({ manager: 'me', operation: 'Update' })],
        },
        data: { k: 'v' },
      },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', fieldValidation: 'Strict' },
    });
    const [second] = scene.webhooks.reviews(validating);
    expect(second).toMatchObject({
      operation: 'CREATE',
      object: { metadata: { uid: expect.any(String) as string, creationTimestamp: expect.any(String) as string } },
      oldObject: null,
    });
    expect(second?.uid).not.toBe(first?.uid);
    expect(scene.webhooks.urls(mutating)).toEqual([`${mutating}?timeout=10s`]);
  });

  it('about a name that is still to be made up with none, and with it once it is', async () => {
    const where = await namespace();
    const [mutating, validating] = [await one('mutating', where), await one('validating', where)];
    const { body } = await http('POST', configMaps(where), { body: { metadata: { generateName: 'gen-' } } });
    const { name } = (body as { metadata: { name: string } }).metadata;
    expect(scene.webhooks.reviews(mutating)[0]).not.toHaveProperty('name');
    expect(scene.webhooks.reviews(mutating)[0]?.object).not.toHaveProperty('metadata.name');
    expect(scene.webhooks.reviews(validating)[0]).toMatchObject({ name, object: { metadata: { name } } });
  });

  it.each([
    [
      'PUT',
      'application/json',
      (version: string) => ({ metadata: { name: 'a', resourceVersion: version }, data: { k: 'w' } }),
    ],
    ['PATCH', MERGE, () => ({ data: { k: 'w' } })],
    ['PATCH', 'application/json-patch+json', () => [{ op: 'replace', path: '/data/k', value: 'w' }]],
    ['PATCH', 'application/strategic-merge-patch+json', () => ({ data: { k: 'w' } })],
  ] as const)('about an update by %s of %s, with both states', async (method, contentType, change) => {
    const where = await namespace();
    const created = await http('POST', configMaps(where), { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
    const { resourceVersion } = (created.body as { metadata: { resourceVersion: string } }).metadata;
    const [mutating, validating] = [await one('mutating', where), await one('validating', where)];
    const path = `${configMaps(where)}/a?fieldManager=me`;
    expect((await http(method, path, { body: change(resourceVersion), contentType })).status).toBe(200);
    for (const asked of [mutating, validating]) {
      expect(scene.webhooks.reviews(asked)).toMatchObject([
        {
          operation: 'UPDATE',
          name: 'a',
          object: { data: { k: 'w' }, metadata: { resourceVersion } },
          oldObject: { kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' }, metadata: { resourceVersion } },
          options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
        },
      ]);
    }
  });

  it('about an apply as what comes of it: a create, then an update', async () => {
    const where = await namespace();
    const validating = await one('validating', where);
    const apply = async (value: string) =>
      await http('PATCH', `${configMaps(where)}/a?fieldManager=me`, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: value } },
        contentType: 'application/apply-patch+yaml',
      });
    expect((await apply('v')).status).toBe(201);
    expect((await apply('w')).status).toBe(200);
    expect(scene.webhooks.reviews(validating)).toMatchObject([
      { operation: 'CREATE', object: { data: { k: 'v' } }, oldObject: null, options: { kind: 'CreateOptions' } },
      {
        operation: 'UPDATE',
        object: { data: { k: 'w' } },
        oldObject: { data: { k: 'v' } },
        options: { kind: 'UpdateOptions' },
      },
    ]);
  });

  it('about a change that changes nothing, too', async () => {
    const where = await namespace();
    const { body } = await http('POST', configMaps(where), { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
    const validating = await one('validating', where);
    const answer = await http('PATCH', `${configMaps(where)}/a`, { body: { data: { k: 'v' } }, contentType: MERGE });
    expect(answer.body).toEqual(body);
    expect(scene.webhooks.reviews(validating)).toMatchObject([{ operation: 'UPDATE' }]);
  });

  it('about a delete, with the object as it was and nothing new', async () => {
    const where = await namespace();
    await http('POST', configMaps(where), { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
    const [mutating, validating] = [await one('mutating', where), await one('validating', where)];
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    expect((await http('DELETE', `${configMaps(where)}/a`, { body: options })).status).toBe(200);
    for (const asked of [mutating, validating]) {
      expect(scene.webhooks.reviews(asked)).toMatchObject([
        {
          operation: 'DELETE',
          name: 'a',
          namespace: where,
          object: null,
          oldObject: { kind: 'ConfigMap', data: { k: 'v' } },
          options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', propagationPolicy: 'Background' },
        },
      ]);
    }
  });

  it('about each that the delete of a collection takes, without its name in the request', async () => {
    const where = await namespace();
    for (const name of ['a', 'b', 'c']) {
      const labels = name === 'c' ? {} : { doomed: 'yes' };
      await http('POST', configMaps(where), { body: { metadata: { name, labels } } });
    }
    const validating = await one('validating', where);
    expect((await http('DELETE', `${configMaps(where)}?labelSelector=doomed=yes`)).status).toBe(200);
    const asked = scene.webhooks.reviews(validating);
    expect(asked.map(({ oldObject }) => (oldObject as { metadata: { name: string } }).metadata.name).sort()).toEqual([
      'a',
      'b',
    ]);
    for (const review of asked) {
      expect(review).toMatchObject({ operation: 'DELETE', namespace: where, object: null });
      expect(review).not.toHaveProperty('name');
    }
  });

  it('about what the garbage collector deletes', async () => {
    const where = await namespace();
    const { body } = await http('POST', configMaps(where), { body: { metadata: { name: 'owner' } } });
    const { uid } = (body as { metadata: { uid: string } }).metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await http('POST', configMaps(where), { body: { metadata: { name: 'child', ownerReferences } } });
    const validating = await one('validating', where);
    await http('DELETE', `${configMaps(where)}/owner`);
    await eventually(
      () => {
        expect(scene.webhooks.reviews(validating)).toMatchObject([
          { operation: 'DELETE', name: 'owner' },
          { operation: 'DELETE', name: 'child', options: { preconditions: { uid: expect.any(String) as string } } },
        ]);
      },
      { timeout: 20_000 },
    );
  });

  it('about what goes with its namespace, which a refusal keeps', async () => {
    const where = await namespace();
    await http('POST', configMaps(where), { body: { metadata: { name: 'a' } } });
    let allowed = false;
    const rules = [{ operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    const answer = () => (allowed ? { allowed } : { allowed, status: { message: 'not yet' } });
    await one('validating', where, answer, { name: 'judge.test.io', rules });
    await http('DELETE', `/api/v1/namespaces/${where}`);
    await eventually(
      async () => {
        const { body } = await http('GET', `/api/v1/namespaces/${where}`);
        expect((body as { status: { conditions?: unknown[] } }).status.conditions).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              type: 'NamespaceDeletionContentFailure',
              status: 'True',
              reason: 'ContentDeletionFailed',
              message: expect.stringContaining(
                'admission webhook "judge.test.io" denied the request: not yet',
              ) as string,
            }),
          ]),
        );
      },
      { timeout: 20_000 },
    );
    allowed = true;
    await eventually(
      async () => {
        expect((await http('GET', `/api/v1/namespaces/${where}`)).status).toBe(404);
      },
      { timeout: 40_000 },
    );
  });

  it('about a status, which is a subresource', async () => {
    const where = await namespace();
    const path = `/apis/apps/v1/namespaces/${where}/deployments`;
    await http('POST', path, { body: deployment('d') });
    const validating = await one('validating', where, undefined, deployments);
    await http('PATCH', `${path}/d/status`, { body: { status: { replicas: 1 } }, contentType: MERGE });
    expect(scene.webhooks.reviews(validating)).toMatchObject([
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

  it('about a namespace as in itself', async () => {
    const where = await namespace();
    const name = unique('inner');
    const validating = await one('validating', where, undefined, {
      namespaceSelector: { matchLabels: { mark: name } },
      rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['namespaces'], scope: 'Cluster' }],
    });
    await http('POST', '/api/v1/namespaces', { body: { metadata: { name, labels: { mark: name } } } });
    await http('PATCH', `/api/v1/namespaces/${name}`, {
      body: { metadata: { labels: { mark: name, a: 'b' } } },
      contentType: MERGE,
    });
    await http('DELETE', `/api/v1/namespaces/${name}`);
    expect(scene.webhooks.reviews(validating)).toMatchObject(
      ['CREATE', 'UPDATE', 'DELETE'].map((operation) => ({ operation, name, namespace: name })),
    );
  });
});
