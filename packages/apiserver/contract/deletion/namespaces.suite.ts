import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { INVALID, NOT_FOUND, refused } from '../refusal.ts';

const { http } = await cluster();

const NAMESPACES = '/api/v1/namespaces';
const MERGE = 'application/merge-patch+json';
const FORBIDDEN = refused(403, 'Forbidden');
const patch = async (path: string, body: unknown) => await http('PATCH', path, { body, contentType: MERGE });
const apply = async (path: string, name: string) =>
  await http('PATCH', `${path}/configmaps/${name}?fieldManager=me`, {
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
    contentType: 'application/apply-patch+yaml',
  });

interface Namespace {
  spec: { finalizers?: string[] };
  status: { conditions?: { type: string; status: string; reason: string }[] };
}

const make = async (metadata: Record<string, unknown> = {}) => {
  const name = `ns-${randomBytes(4).toString('hex')}`;
  const { body, status } = await http('POST', NAMESPACES, { body: { metadata: { name, ...metadata } } });
  expect(status).toBe(201);
  return { name, path: `${NAMESPACES}/${name}`, body };
};
const soon = async (attempt: () => Promise<void>) => {
  await eventually(attempt, { timeout: 30_000 });
};
const gone = async (path: string) => {
  await soon(async () => {
    expect((await http('GET', path)).status).toBe(404);
  });
};
/** A deleted namespace with a ConfigMap that has a finalizer. */
const terminating = async () => {
  const made = await make();
  const held = `${made.path}/configmaps/held`;
  await http('POST', `${made.path}/configmaps`, { body: { metadata: { name: 'held', finalizers: ['test.io/hold'] } } });
  const deleted = await http('DELETE', made.path);
  const end = async () => {
    await patch(held, { metadata: { finalizers: null } });
    await gone(made.path);
  };
  return { ...made, held, deleted, end };
};

describe('a namespace', () => {
  it('is active, and has a label with its name and a finalizer', async () => {
    const { name, path, body } = await make();
    const named = { 'kubernetes.io/metadata.name': name };
    const spec = { finalizers: ['kubernetes'] };
    expect(body).toMatchObject({ metadata: { name, labels: named }, spec, status: { phase: 'Active' } });
    expect(body).not.toHaveProperty('metadata.generation');
    const labels = { 'kubernetes.io/metadata.name': null, a: 'b' };
    const changed = await patch(path, { metadata: { labels }, spec: { finalizers: [] } });
    expect(changed.body).toMatchObject({ metadata: { labels: { ...named, a: 'b' } }, spec });
    await http('DELETE', path);
  });

  it.each(['default', 'kube-system', 'kube-public'])('cannot be deleted if it is %s', async (name) => {
    expect(await http('DELETE', `${NAMESPACES}/${name}`)).toMatchObject(FORBIDDEN);
  });

  it('that does not exist is empty and accepts no objects', async () => {
    const path = `${NAMESPACES}/nowhere`;
    expect(await http('POST', `${path}/configmaps`, { body: { metadata: { name: 'a' } } })).toMatchObject(NOT_FOUND);
    expect(await apply(path, 'a')).toMatchObject(NOT_FOUND);
    expect(await http('GET', `${path}/configmaps`)).toMatchObject({ status: 200, body: { items: [] } });
  });

  it.each(['GET', 'PATCH', 'DELETE'] as const)(
    'has a subresource finalize that does not support %s',
    async (method) => {
      const options = method === 'PATCH' ? { body: {}, contentType: MERGE } : {};
      expect((await http(method, `${NAMESPACES}/default/finalize`, options)).status).toBe(405);
    },
  );

  it('is not changed by a dry run of its deletion', async () => {
    const { path } = await make();
    expect((await http('DELETE', `${path}?dryRun=All`)).body).toMatchObject({ status: { phase: 'Terminating' } });
    expect((await http('GET', path)).body).toMatchObject({ status: { phase: 'Active' } });
    await http('DELETE', path);
  });
});

// Concurrent, because kube-controller-manager takes five seconds to delete a namespace.
describe.concurrent('a namespace that is deleted', () => {
  it('is terminating until its content is deleted', async () => {
    const { name, deleted, path, held, end } = await terminating();
    const state = {
      metadata: { deletionTimestamp: expect.any(String) as string },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    };
    expect(deleted).toMatchObject({ status: 200, body: { kind: 'Namespace', ...state } });
    expect((await http('GET', path)).body).toMatchObject(state);
    expect(await http('DELETE', path)).toMatchObject({ status: 200, body: state });
    expect(await http('POST', NAMESPACES, { body: { metadata: { name } } })).toMatchObject(
      refused(409, 'AlreadyExists'),
    );
    await end();
    expect((await http('GET', held)).status).toBe(404);
  });

  it('allows changes of its objects but no new objects', async () => {
    const { path, held, end } = await terminating();
    expect((await patch(held, { data: { k: 'v' } })).status).toBe(200);
    const refusal = { ...FORBIDDEN, body: { details: { causes: [{ reason: 'NamespaceTerminating' }] } } };
    for (const metadata of [{ name: 'late' }, { generateName: 'late-' }])
      expect(await http('POST', `${path}/configmaps`, { body: { metadata } })).toMatchObject(refusal);
    expect(await apply(path, 'late')).toMatchObject(refusal);
    await end();
  });

  it('has conditions for the remaining content', async () => {
    const { path, end } = await terminating();
    await soon(async () => {
      const { body } = await http('GET', path);
      const { conditions = [] } = (body as Namespace).status;
      const found = Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
      expect(found).toMatchObject({
        NamespaceContentRemaining: 'True SomeResourcesRemain',
        NamespaceFinalizersRemaining: 'True SomeFinalizersRemain',
        NamespaceDeletionContentFailure: 'False ContentDeleted',
      });
    });
    await end();
  });

  it('deletes its Pods first and waits for their removal', async () => {
    const { path } = await make();
    await http('POST', `${path}/configmaps`, { body: { metadata: { name: 'needed' } } });
    const spec = { nodeName: 'nowhere', containers: [{ name: 'a', image: 'b' }] };
    await http('POST', `${path}/pods`, { body: { metadata: { name: 'p' }, spec } });
    await http('DELETE', path);
    await soon(async () => {
      const { body } = await http('GET', `${path}/pods/p`);
      expect(body).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) as string } });
    });
    expect((await http('GET', `${path}/configmaps/needed`)).status).toBe(200);
    await http('DELETE', `${path}/pods/p`, { body: { gracePeriodSeconds: 0 } });
    await gone(`${path}/configmaps/needed`);
    await gone(path);
  }, 90_000);

  it('waits for finalizers in its metadata', async () => {
    const { path } = await make({ finalizers: ['test.io/hold'] });
    await http('DELETE', path);
    await soon(async () => {
      expect(((await http('GET', path)).body as Namespace).spec.finalizers ?? []).toEqual([]);
    });
    await patch(path, { metadata: { finalizers: null } });
    await gone(path);
  });

  it('waits for finalizers in its spec, which the subresource finalize removes', async () => {
    const { name, path } = await make();
    const finalize = async (finalizers: string[]) =>
      await http('PUT', `${path}/finalize`, {
        body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name }, spec: { finalizers } },
      });
    const spec = { finalizers: ['kubernetes', 'test.io/more'] };
    expect((await finalize(spec.finalizers)).body).toMatchObject({ spec });
    await http('DELETE', path);
    await soon(async () => {
      expect((await http('GET', path)).body).toMatchObject({ spec: { finalizers: ['test.io/more'] } });
    });
    expect((await finalize([])).status).toBe(200);
    await gone(path);
  });

  it('gets the finalizer of the propagation policy', async () => {
    const { path } = await make();
    const { body } = await http('DELETE', path, { body: { propagationPolicy: 'Foreground' } });
    expect(body).toMatchObject({ metadata: { finalizers: ['foregroundDeletion'] }, status: { phase: 'Terminating' } });
    await gone(path);
  });
});

it('a namespace with an invalid name is refused', async () => {
  expect(await http('POST', NAMESPACES, { body: { metadata: { name: 'No.Name' } } })).toMatchObject(INVALID);
});
