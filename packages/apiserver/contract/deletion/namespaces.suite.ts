import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';

const { http } = await cluster();

const NAMESPACES = '/api/v1/namespaces';
const MERGE = 'application/merge-patch+json';
const patch = async (path: string, body: unknown) => await http('PATCH', path, { body, contentType: MERGE });
interface Namespace {
  metadata: { name: string; uid: string; finalizers?: string[]; deletionTimestamp?: string; resourceVersion: string };
  spec: { finalizers?: string[] };
  status: { phase: string; conditions?: { type: string; status: string; reason: string; message: string }[] };
}
const make = async (metadata: Record<string, unknown> = {}) => {
  const name = `ns-${randomBytes(4).toString('hex')}`;
  const { body, status } = await http('POST', NAMESPACES, { body: { metadata: { name, ...metadata } } });
  expect(status).toBe(201);
  return { name, path: `${NAMESPACES}/${name}`, body: body as Namespace };
};
const gone = async (path: string) => {
  await eventually(
    async () => {
      expect((await http('GET', path)).status).toBe(404);
    },
    { timeout: 30_000 },
  );
};
const condition = async (path: string, type: string) => {
  const { body } = await http('GET', path);
  return (body as Namespace).status.conditions?.find((each) => each.type === type);
};
/** A namespace on its way out, with a ConfigMap that keeps it. */
const terminating = async () => {
  const made = await make();
  const held = `${made.path}/configmaps/held`;
  await http('POST', `${made.path}/configmaps`, { body: { metadata: { name: 'held', finalizers: ['test.io/hold'] } } });
  const deleted = await http('DELETE', made.path);
  return {
    ...made,
    held,
    deleted,
    end: async () => {
      await patch(held, { metadata: { finalizers: null } });
      await gone(made.path);
    },
  };
};

describe('a namespace', () => {
  it('is active, has its name as a label, and is kept by Kubernetes', async () => {
    const { name, path, body } = await make();
    expect(body).toMatchObject({
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    expect(body).not.toHaveProperty('metadata.generation');
    await http('DELETE', path);
  });

  it('keeps the label of its name, whatever is written', async () => {
    const { name, path } = await make();
    const { body } = await patch(path, { metadata: { labels: { 'kubernetes.io/metadata.name': null, a: 'b' } } });
    expect(body).toMatchObject({ metadata: { labels: { 'kubernetes.io/metadata.name': name, a: 'b' } } });
    await http('DELETE', path);
  });

  it('does not let its finalizers go with an update', async () => {
    const { path } = await make();
    expect((await patch(path, { spec: { finalizers: [] } })).body).toMatchObject({
      spec: { finalizers: ['kubernetes'] },
    });
    await http('DELETE', path);
  });

  it('is asked for by the names of its own and no others', async () => {
    expect(await http('POST', NAMESPACES, { body: { metadata: { name: 'No.Name' } } })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { kind: 'Namespace', causes: [{ field: 'metadata.name' }] } },
    });
  });

  it.each(['default', 'kube-system', 'kube-public'])('called %s cannot be deleted', async (name) => {
    expect(await http('DELETE', `${NAMESPACES}/${name}`)).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
        details: { name, kind: 'namespaces' },
      },
    });
  });

  it('that is not there takes nothing', async () => {
    expect(await http('POST', `${NAMESPACES}/nowhere/configmaps`, { body: { metadata: { name: 'a' } } })).toMatchObject(
      {
        status: 404,
        body: { message: 'namespaces "nowhere" not found', details: { name: 'nowhere', kind: 'namespaces' } },
      },
    );
    const apply = await http('PATCH', `${NAMESPACES}/nowhere/configmaps/a?fieldManager=me`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
      contentType: 'application/apply-patch+yaml',
    });
    expect(apply.status).toBe(404);
    expect(await http('GET', `${NAMESPACES}/nowhere/configmaps`)).toMatchObject({ status: 200, body: { items: [] } });
  });
});

// Side by side: a real namespace takes five seconds to go.
describe.concurrent('a namespace that is being deleted', () => {
  it('is terminating, and then gone with all that is in it', async () => {
    const { deleted, path, held, end } = await terminating();
    expect(deleted).toMatchObject({
      status: 200,
      body: {
        kind: 'Namespace',
        metadata: { deletionTimestamp: expect.any(String) as string },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Terminating' },
      },
    });
    expect((await http('GET', path)).body).toMatchObject({ status: { phase: 'Terminating' } });
    await end();
    expect((await http('GET', held)).status).toBe(404);
  });

  it('takes nothing new', async () => {
    const { name, path, end } = await terminating();
    const message = `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`;
    const expected = {
      status: 403,
      body: {
        reason: 'Forbidden',
        message,
        details: {
          name: 'late',
          kind: 'configmaps',
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: `namespace ${name} is being terminated`,
              field: 'metadata.namespace',
            },
          ],
        },
      },
    };
    expect(await http('POST', `${path}/configmaps`, { body: { metadata: { name: 'late' } } })).toMatchObject(expected);
    const apply = await http('PATCH', `${path}/configmaps/late?fieldManager=me`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } },
      contentType: 'application/apply-patch+yaml',
    });
    expect(apply).toMatchObject(expected);
    await end();
  });

  it('names the beginning of a name that is still to be made up', async () => {
    const { name, path, end } = await terminating();
    const answer = await http('POST', `${path}/configmaps`, { body: { metadata: { generateName: 'late-' } } });
    expect(answer).toMatchObject({
      status: 403,
      body: {
        message: `configmaps "late-" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
        details: { name: 'late-' },
      },
    });
    await end();
  });

  it('can have what is in it changed and deleted', async () => {
    const { held, end } = await terminating();
    expect((await patch(held, { data: { k: 'v' } })).status).toBe(200);
    await end();
  });

  it('says what keeps it', async () => {
    const { path, end } = await terminating();
    await eventually(
      async () => {
        expect(await condition(path, 'NamespaceContentRemaining')).toMatchObject({
          status: 'True',
          reason: 'SomeResourcesRemain',
          message: 'Some resources are remaining: configmaps. has 1 resource instances',
        });
      },
      { timeout: 20_000 },
    );
    expect(await condition(path, 'NamespaceFinalizersRemaining')).toMatchObject({
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message: 'Some content in the namespace has finalizers remaining: test.io/hold in 1 resource instances',
    });
    expect(await condition(path, 'NamespaceDeletionContentFailure')).toMatchObject({
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    });
    expect(await condition(path, 'NamespaceDeletionGroupVersionParsingFailure')).toMatchObject({
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    });
    await end();
  });

  it('has its pods end before all else', async () => {
    const { path } = await make();
    await http('POST', `${path}/configmaps`, { body: { metadata: { name: 'needed' } } });
    const spec = { nodeName: 'nowhere', containers: [{ name: 'a', image: 'b' }] };
    await http('POST', `${path}/pods`, { body: { metadata: { name: 'p' }, spec } });
    await http('DELETE', path);
    await eventually(
      async () => {
        expect((await http('GET', `${path}/pods/p`)).body).toMatchObject({
          metadata: { deletionTimestamp: expect.any(String) as string },
        });
      },
      { timeout: 20_000 },
    );
    expect((await http('GET', `${path}/configmaps/needed`)).status).toBe(200);
    await http('DELETE', `${path}/pods/p`, { body: { gracePeriodSeconds: 0 } });
    await eventually(
      async () => {
        expect((await http('GET', `${path}/configmaps/needed`)).status).toBe(404);
      },
      { timeout: 30_000 },
    );
    await gone(path);
  }, 90_000);

  it('is told again and stays what it is', async () => {
    const { path, end } = await terminating();
    expect(await http('DELETE', path)).toMatchObject({ status: 200, body: { status: { phase: 'Terminating' } } });
    await end();
  });

  it('waits for finalizers of its own', async () => {
    const { path } = await make({ finalizers: ['test.io/hold'] });
    await http('DELETE', path);
    await eventually(
      async () => {
        const { spec } = (await http('GET', path)).body as Namespace;
        expect(spec.finalizers ?? []).toEqual([]);
      },
      { timeout: 20_000 },
    );
    await patch(path, { metadata: { finalizers: null } });
    await gone(path);
  });

  it('waits for finalizers that are not Kubernetes’s, which /finalize takes', async () => {
    const { name, path } = await make();
    const finalize = async (finalizers: string[]) =>
      await http('PUT', `${path}/finalize`, {
        body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name }, spec: { finalizers } },
      });
    expect((await finalize(['kubernetes', 'test.io/more'])).body).toMatchObject({
      spec: { finalizers: ['kubernetes', 'test.io/more'] },
    });
    await http('DELETE', path);
    await eventually(
      async () => {
        expect(((await http('GET', path)).body as Namespace).spec.finalizers).toEqual(['test.io/more']);
      },
      { timeout: 20_000 },
    );
    expect((await finalize([])).status).toBe(200);
    await gone(path);
  });

  it('can only be finalized by a PUT', async () => {
    const { path } = await make();
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      expect(
        (await http(method, `${path}/finalize`, method === 'PATCH' ? { body: {}, contentType: MERGE } : {})).status,
      ).toBe(405);
    }
    await http('DELETE', path);
  });

  it('keeps its name until then', async () => {
    const { name, end } = await terminating();
    expect(await http('POST', NAMESPACES, { body: { metadata: { name } } })).toMatchObject({
      status: 409,
      body: { reason: 'AlreadyExists', message: `object is being deleted: namespaces "${name}" already exists` },
    });
    await end();
  });

  it('gets the finalizers of its propagation policy, as other objects do', async () => {
    const { path } = await make();
    const { body } = await http('DELETE', path, { body: { propagationPolicy: 'Foreground' } });
    expect(body).toMatchObject({ metadata: { finalizers: ['foregroundDeletion'] }, status: { phase: 'Terminating' } });
    await gone(path);
  });

  it('is not deleted by a dry run', async () => {
    const { path } = await make();
    expect((await http('DELETE', `${path}?dryRun=All`)).body).toMatchObject({ status: { phase: 'Terminating' } });
    expect((await http('GET', path)).body).toMatchObject({ status: { phase: 'Active' } });
    await http('DELETE', path);
  });
});
