import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';

const { http, namespace } = await cluster();

let where = '';
beforeAll(async () => {
  where = await namespace();
});
let count = 0;
const unique = (prefix: string) => `${prefix}-${(count += 1)}`;
const core = (plural: string) => `/api/v1/namespaces/${where}/${plural}`;
const uidOf = (body: unknown) => (body as { metadata: { uid: string } }).metadata.uid;

/** Makes an object; returns its path and its state. */
const make = async (plural: string, rest: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) => {
  const name = unique('a');
  const { status, body } = await http('POST', core(plural), { body: { metadata: { name, ...metadata }, ...rest } });
  expect(status, JSON.stringify(body)).toBe(201);
  return {
    name,
    path: `${core(plural)}/${name}`,
    body: body as { metadata: { uid: string; resourceVersion: string } },
  };
};
const held = { finalizers: ['test.io/hold'] };
const pod = { spec: { containers: [{ name: 'a', image: 'b' }] } };
const scheduled = { spec: { ...pod.spec, nodeName: 'nowhere' } };
const letGo = async (path: string) =>
  await http('PATCH', path, {
    body: { metadata: { finalizers: null } },
    contentType: 'application/merge-patch+json',
  });

describe('the answer to a DELETE', () => {
  it('is a Status that names what is gone', async () => {
    const { name, path, body } = await make('configmaps');
    const answer = await http('DELETE', path);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name, kind: 'configmaps', uid: uidOf(body) },
    });
    expect((await http('GET', path)).status).toBe(404);
  });

  it('names the group of what has one', async () => {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${where}/roles`;
    await http('POST', path, { body: { metadata: { name: 'r' }, rules: [] } });
    expect((await http('DELETE', `${path}/r`)).body).toMatchObject({
      status: 'Success',
      details: { name: 'r', group: 'rbac.authorization.k8s.io', kind: 'roles' },
    });
  });

  it.each([
    ['secrets', {}],
    ['serviceaccounts', {}],
    ['services', { spec: { ports: [{ port: 1 }] } }],
    ['pods', pod],
    [
      'persistentvolumeclaims',
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    ],
  ])('of %s is what kube-apiserver makes of that kind', async (plural, rest) => {
    const { path, body } = await make(plural, rest);
    const answer = await http('DELETE', path);
    expect(answer.status).toBe(200);
    const kind = (answer.body as { kind: string }).kind;
    expect([plural, kind]).toEqual([
      plural,
      {
        secrets: 'Status',
        serviceaccounts: 'ServiceAccount',
        services: 'Service',
        pods: 'Pod',
        persistentvolumeclaims: 'PersistentVolumeClaim',
      }[plural],
    ]);
    if (kind !== 'Status') expect(uidOf(answer.body)).toBe(uidOf(body));
  });

  it('is the object as long as something holds it', async () => {
    const { path, body } = await make('configmaps', {}, held);
    const answer = await http('DELETE', path);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        kind: 'ConfigMap',
        metadata: {
          uid: uidOf(body),
          finalizers: ['test.io/hold'],
          deletionTimestamp: expect.any(String) as string,
          deletionGracePeriodSeconds: 0,
        },
      },
    });
    await letGo(path);
  });

  it('is 404 for what is not there', async () => {
    expect(await http('DELETE', `${core('configmaps')}/nobody`)).toMatchObject({
      status: 404,
      body: {
        reason: 'NotFound',
        message: 'configmaps "nobody" not found',
        details: { name: 'nobody', kind: 'configmaps' },
      },
    });
  });

  it('is the last state, with a revision of its own, to those who watch', async () => {
    const { path, body } = await make('serviceaccounts');
    const answer = await http('DELETE', path);
    const { resourceVersion } = (answer.body as { metadata: { resourceVersion: string } }).metadata;
    expect(Number(resourceVersion)).toBeGreaterThan(Number(body.metadata.resourceVersion));
    expect(answer.body).not.toHaveProperty('metadata.deletionTimestamp');
  });
});

describe('the preconditions of a deletion', () => {
  const uid = '00000000-0000-0000-0000-000000000000';

  it('hold back one of another uid', async () => {
    const { name, path, body } = await make('configmaps');
    expect(await http('DELETE', path, { body: { preconditions: { uid } } })).toMatchObject({
      status: 409,
      body: {
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on ConfigMap "${name}": the UID in the precondition (${uid}) does not match the UID in record (${uidOf(body)}). The object might have been deleted and then recreated`,
        details: { name, kind: 'ConfigMap' },
      },
    });
    expect((await http('DELETE', path, { body: { preconditions: { uid: uidOf(body) } } })).status).toBe(200);
  });

  it('hold back one of another state', async () => {
    const { name, path, body } = await make('configmaps');
    const { resourceVersion } = body.metadata;
    expect(await http('DELETE', path, { body: { preconditions: { resourceVersion: '1' } } })).toMatchObject({
      status: 409,
      body: {
        message: `Operation cannot be fulfilled on ConfigMap "${name}": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      },
    });
    expect((await http('DELETE', path, { body: { preconditions: { resourceVersion } } })).status).toBe(200);
  });

  it('come in the query as well', async () => {
    const { path, body } = await make('configmaps');
    expect((await http('DELETE', `${path}?uid=${uid}`)).status).toBe(409);
    expect((await http('DELETE', `${path}?resourceVersion=1`)).status).toBe(409);
    expect((await http('DELETE', `${path}?uid=${uidOf(body)}`)).status).toBe(200);
  });

  it('hold for pods and namespaces', async () => {
    const { name, path, body } = await make('pods', scheduled);
    expect((await http('DELETE', path, { body: { preconditions: { uid } } })).body).toMatchObject({
      message: `Operation cannot be fulfilled on Pod "${name}": the UID in the precondition (${uid}) does not match the UID in record (${uidOf(body)}). The object might have been deleted and then recreated`,
    });
    await http('DELETE', path, { body: { gracePeriodSeconds: 0 } });
    const home = await namespace();
    const found = await http('GET', `/api/v1/namespaces/${home}`);
    expect(
      (await http('DELETE', `/api/v1/namespaces/${home}`, { body: { preconditions: { uid } } })).body,
    ).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on namespaces "${home}": Precondition failed: UID in precondition: ${uid}, UID in object meta: ${uidOf(found.body)}`,
    });
  });
});

describe('the options of a deletion', () => {
  const INVALID = 'DeleteOptions.meta.k8s.io "" is invalid';
  it.each<[string, Record<string, unknown>, string]>([
    [
      'a policy that does not exist',
      { propagationPolicy: 'Everything' },
      `${INVALID}: propagationPolicy: Unsupported value: "Everything": supported values: "Foreground", "Background", "Orphan", "nil"`,
    ],
    [
      'a dry run of something',
      { dryRun: ['Some'] },
      `${INVALID}: dryRun: Unsupported value: ["Some"]: supported values: "All"`,
    ],
    [
      'two policies',
      { propagationPolicy: 'Orphan', orphanDependents: true },
      `${INVALID}: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set`,
    ],
  ])('are refused for %s', async (_what, body, message) => {
    const { path } = await make('configmaps');
    expect(await http('DELETE', path, { body })).toMatchObject({ status: 422, body: { reason: 'Invalid', message } });
    const query = new URLSearchParams(
      Object.entries(body).map(([key, value]): [string, string] => [key, String(value)]),
    );
    expect((await http('DELETE', `${path}?${query.toString()}`)).status).toBe(422);
    expect((await http('GET', path)).status).toBe(200);
  });

  it('of a dry run change nothing', async () => {
    const [body, query, pods] = [
      await make('configmaps'),
      await make('configmaps', {}, held),
      await make('pods', scheduled),
    ];
    expect(await http('DELETE', body.path, { body: { dryRun: ['All'] } })).toMatchObject({
      status: 200,
      body: { status: 'Success', details: { name: body.name } },
    });
    expect(await http('DELETE', `${query.path}?dryRun=All`)).toMatchObject({
      body: { metadata: { deletionTimestamp: expect.any(String) as string } },
    });
    expect(await http('DELETE', `${pods.path}?dryRun=All&gracePeriodSeconds=7`)).toMatchObject({
      body: { metadata: { deletionTimestamp: expect.any(String) as string, deletionGracePeriodSeconds: 7 } },
    });
    for (const made of [body, query, pods]) {
      expect((await http('GET', made.path)).body).toEqual(made.body);
    }
    await http('DELETE', pods.path, { body: { gracePeriodSeconds: 0 } });
  });

  it('are those of the body where there is one, whatever the query says', async () => {
    const { path } = await make('configmaps');
    expect((await http('DELETE', `${path}?dryRun=All`, { body: {} })).status).toBe(200);
    expect((await http('GET', path)).status).toBe(404);
  });

  it('may be of any version of their kind', async () => {
    for (const apiVersion of ['v1', 'meta.k8s.io/v1', 'apps/v1']) {
      const { path } = await make('configmaps');
      const body = { kind: 'DeleteOptions', apiVersion, propagationPolicy: 'Background' };
      expect((await http('DELETE', path, { body })).status).toBe(200);
    }
  });

  it('of another kind are refused', async () => {
    const { path } = await make('configmaps');
    expect(await http('DELETE', path, { body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: {} } })).toMatchObject({
      status: 500,
      body: { message: 'no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"' },
    });
    expect((await http('GET', path)).status).toBe(200);
  });

  it('that leave dependents to the background of what has none are accepted', async () => {
    const { path } = await make('configmaps', {}, held);
    expect((await http('DELETE', path, { body: { orphanDependents: false } })).status).toBe(202);
    await letGo(path);
  });
});

describe('a pod', () => {
  it('that runs nowhere is gone at once', async () => {
    const { path } = await make('pods', pod);
    expect((await http('DELETE', path)).status).toBe(200);
    expect((await http('GET', path)).status).toBe(404);
  });

  it('that has a node has time to end', async () => {
    const { path } = await make('pods', { spec: { ...scheduled.spec, terminationGracePeriodSeconds: 20 } });
    const before = Date.now();
    const { body } = await http('DELETE', path);
    const { metadata } = body as { metadata: { deletionTimestamp: string; deletionGracePeriodSeconds: number } };
    expect(metadata.deletionGracePeriodSeconds).toBe(20);
    const end = Date.parse(metadata.deletionTimestamp);
    expect(end).toBeGreaterThan(before + 18_000);
    expect(end).toBeLessThan(Date.now() + 21_000);
    expect((await http('GET', path)).status).toBe(200);
    expect((await http('DELETE', path, { body: { gracePeriodSeconds: 0 } })).status).toBe(200);
    expect((await http('GET', path)).status).toBe(404);
  });

  it('is given thirty seconds where nothing is said, and what is asked where something is', async () => {
    for (const [options, expected] of [
      [{}, 30],
      [{ gracePeriodSeconds: 5 }, 5],
      [{ gracePeriodSeconds: -7 }, 1],
    ] as const) {
      const { path } = await make('pods', scheduled);
      expect((await http('DELETE', path, { body: options })).body).toMatchObject({
        metadata: { deletionGracePeriodSeconds: expected },
      });
      await http('DELETE', path, { body: { gracePeriodSeconds: 0 } });
    }
  });

  it('can be given less time, not more', async () => {
    const { path } = await make('pods', scheduled);
    const grace = async (options: Record<string, unknown>) => {
      const { body } = await http('DELETE', path, { body: options });
      return (body as { metadata: { deletionGracePeriodSeconds: number } }).metadata.deletionGracePeriodSeconds;
    };
    expect(await grace({})).toBe(30);
    expect(await grace({ gracePeriodSeconds: 60 })).toBe(30);
    expect(await grace({ gracePeriodSeconds: 10 })).toBe(10);
    expect(await grace({})).toBe(10);
    expect((await http('DELETE', path, { body: { gracePeriodSeconds: 0 } })).status).toBe(200);
    expect((await http('GET', path)).status).toBe(404);
  });

  it('that is deleted with no time is first seen to be going, then gone', async () => {
    const { path, body } = await make('pods', scheduled);
    const { resourceVersion } = body.metadata;
    await http('DELETE', path, { body: { gracePeriodSeconds: 0 } });
    const watch = await http(
      'GET',
      `${core('pods')}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}&fieldSelector=metadata.name=${path.split('/').at(-1) ?? ''}`,
    );
    const events = String(watch.body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; object: unknown });
    expect(events).toMatchObject([
      { type: 'MODIFIED', object: { metadata: { deletionGracePeriodSeconds: 0 } } },
      { type: 'DELETED', object: { metadata: { deletionGracePeriodSeconds: 0 } } },
    ]);
  });

  it('has its generation raised when its end is first asked for', async () => {
    const { path, body } = await make('pods', scheduled);
    expect(body).toMatchObject({ metadata: { generation: 1 } });
    for (const gracePeriodSeconds of [30, 3])
      expect((await http('DELETE', path, { body: { gracePeriodSeconds } })).body).toMatchObject({
        metadata: { generation: 2 },
      });
    await http('DELETE', path, { body: { gracePeriodSeconds: 0 } });
  });

  it('that has ended needs no time', async () => {
    const { path } = await make('pods', scheduled);
    await http('PATCH', `${path}/status`, {
      body: { status: { phase: 'Succeeded' } },
      contentType: 'application/merge-patch+json',
    });
    await http('DELETE', path);
    expect((await http('GET', path)).status).toBe(404);
  });

  it('that is held stays, though its time is over', async () => {
    const { path } = await make('pods', scheduled, held);
    expect((await http('DELETE', path, { body: { gracePeriodSeconds: 0 } })).body).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 0, finalizers: ['test.io/hold'] },
    });
    await letGo(path);
    expect((await http('GET', path)).status).toBe(404);
  });

  it('whose time runs stays, though nothing else holds it', async () => {
    const { path } = await make('pods', scheduled, held);
    await http('DELETE', path);
    await letGo(path);
    expect((await http('GET', path)).status).toBe(200);
    await http('DELETE', path, { body: { gracePeriodSeconds: 0 } });
    expect((await http('GET', path)).status).toBe(404);
  });
});
