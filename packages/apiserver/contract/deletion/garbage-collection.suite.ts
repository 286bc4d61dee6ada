import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';

const { http, namespace } = await cluster();

interface Found {
  metadata: {
    name: string;
    uid: string;
    finalizers?: string[];
    ownerReferences?: { uid: string }[];
    deletionTimestamp?: string;
  };
}
let where = '';
beforeAll(async () => {
  where = await namespace();
});
let count = 0;
const MERGE = 'application/merge-patch+json';
const configMaps = (home = where) => `/api/v1/namespaces/${home}/configmaps`;
const ownedBy = (owner: Found, more: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...more,
});
const make = async (what: string, metadata: Record<string, unknown> = {}, home = where) => {
  const name = `${what}-${(count += 1)}`;
  const { status, body } = await http('POST', configMaps(home), { body: { metadata: { name, ...metadata } } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as Found;
};
const pathOf = ({ metadata: { name } }: Found, home = where) => `${configMaps(home)}/${name}`;
const find = async (object: Found, home = where): Promise<Found | undefined> => {
  const { status, body } = await http('GET', pathOf(object, home));
  return status === 200 ? (body as Found) : undefined;
};
const gone = async (...objects: Found[]) => {
  await eventually(
    async () => {
      for (const object of objects) expect(await find(object)).toBeUndefined();
    },
    { timeout: 20_000 },
  );
};
const remove = async (object: Found, propagationPolicy?: string) =>
  await http('DELETE', pathOf(object), propagationPolicy === undefined ? {} : { body: { propagationPolicy } });
const letGo = async (object: Found) =>
  await http('PATCH', pathOf(object), { body: { metadata: { finalizers: null } }, contentType: MERGE });
/** Something that is collected later than what was there before it: to wait for, so that absence of action can be seen. */
const barrier = async () => {
  const owner = await make('barrier');
  const dependent = await make('barrier', { ownerReferences: [ownedBy(owner)] });
  await remove(owner);
  await gone(dependent);
};

describe('what an owner leaves behind', () => {
  it('is deleted in the background, generation after generation', async () => {
    const owner = await make('owner');
    const child = await make('child', { ownerReferences: [ownedBy(owner)] });
    const grandchild = await make('grandchild', { ownerReferences: [ownedBy(child)] });
    expect((await remove(owner)).body).toMatchObject({ status: 'Success' });
    expect(await find(owner)).toBeUndefined();
    await gone(child, grandchild);
  });

  it('stays as long as it has another owner, without the one that is gone', async () => {
    const [one, other] = [await make('owner'), await make('owner')];
    const child = await make('child', { ownerReferences: [ownedBy(one), ownedBy(other)] });
    await remove(one);
    await eventually(
      async () => {
        expect((await find(child))?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([other.metadata.uid]);
      },
      { timeout: 20_000 },
    );
    await remove(other);
    await gone(child);
  });

  it('is deleted when its owner was gone before', async () => {
    const owner = await make('owner');
    await remove(owner);
    const child = await make('child', { ownerReferences: [ownedBy(owner)] });
    await gone(child);
  });

  it('is deleted when its owner has been replaced by one of the same name', async () => {
    const owner = await make('owner');
    await remove(owner);
    await http('POST', configMaps(), { body: { metadata: { name: owner.metadata.name } } });
    await gone(await make('child', { ownerReferences: [ownedBy(owner)] }));
  });

  it('waits for its own finalizers', async () => {
    const owner = await make('owner');
    const child = await make('child', { ownerReferences: [ownedBy(owner)], finalizers: ['test.io/hold'] });
    await remove(owner);
    await eventually(
      async () => {
        expect((await find(child))?.metadata.deletionTimestamp).toBeTypeOf('string');
      },
      { timeout: 20_000 },
    );
    await letGo(child);
    await gone(child);
  });

  it('stays where its owner is of a kind that nobody knows', async () => {
    const reference = {
      apiVersion: 'nosuch.test.io/v1',
      kind: 'Nothing',
      name: 'a',
      uid: '00000000-0000-0000-0000-000000000001',
    };
    const child = await make('child', { ownerReferences: [reference] });
    await barrier();
    expect(await find(child)).toBeDefined();
  });

  it('is collected when it is given an owner that is gone', async () => {
    const owner = await make('owner');
    const child = await make('child');
    await remove(owner);
    await http('PATCH', pathOf(child), {
      body: { metadata: { ownerReferences: [ownedBy(owner)] } },
      contentType: MERGE,
    });
    await gone(child);
  });
});

describe('an owner that is deleted in the foreground', () => {
  it('is there until its dependents are gone that block it', async () => {
    const owner = await make('owner');
    const hold = { finalizers: ['test.io/hold'] };
    const blocking = await make('child', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })], ...hold });
    const { body } = await remove(owner, 'Foreground');
    expect(body).toMatchObject({
      kind: 'ConfigMap',
      metadata: { finalizers: ['foregroundDeletion'], deletionTimestamp: expect.any(String) as string },
    });
    await eventually(
      async () => {
        expect((await find(blocking))?.metadata.deletionTimestamp).toBeTypeOf('string');
      },
      { timeout: 20_000 },
    );
    expect((await find(owner))?.metadata.finalizers).toEqual(['foregroundDeletion']);
    await letGo(blocking);
    await gone(blocking, owner);
  });

  it('does not wait for those that do not block it', async () => {
    const owner = await make('owner');
    const free = await make('child', { ownerReferences: [ownedBy(owner)], finalizers: ['test.io/hold'] });
    await remove(owner, 'Foreground');
    await gone(owner);
    await eventually(
      async () => {
        expect((await find(free))?.metadata.deletionTimestamp).toBeTypeOf('string');
      },
      { timeout: 20_000 },
    );
    await letGo(free);
    await gone(free);
  });

  it('without dependents goes soon', async () => {
    const owner = await make('owner');
    await remove(owner, 'Foreground');
    await gone(owner);
  });

  it('has its dependents’ dependents deleted first', async () => {
    const owner = await make('owner');
    const child = await make('child', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] });
    const grandchild = await make('grandchild', {
      ownerReferences: [ownedBy(child, { blockOwnerDeletion: true })],
      finalizers: ['test.io/hold'],
    });
    await remove(owner, 'Foreground');
    await eventually(
      async () => {
        expect((await find(grandchild))?.metadata.deletionTimestamp).toBeTypeOf('string');
      },
      { timeout: 20_000 },
    );
    expect((await find(child))?.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(await find(owner)).toBeDefined();
    await letGo(grandchild);
    await gone(grandchild, child, owner);
  });

  it('leaves those that have another owner to that one', async () => {
    const [one, other] = [await make('owner'), await make('owner')];
    const child = await make('child', {
      ownerReferences: [ownedBy(one, { blockOwnerDeletion: true }), ownedBy(other)],
    });
    await remove(one, 'Foreground');
    await gone(one);
    expect((await find(child))?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([other.metadata.uid]);
  });

  it('waits for its other finalizers as well', async () => {
    const owner = await make('owner', { finalizers: ['test.io/hold'] });
    expect((await remove(owner, 'Foreground')).body).toMatchObject({
      metadata: { finalizers: ['test.io/hold', 'foregroundDeletion'] },
    });
    await eventually(
      async () => {
        expect((await find(owner))?.metadata.finalizers).toEqual(['test.io/hold']);
      },
      { timeout: 20_000 },
    );
    await letGo(owner);
    await gone(owner);
  });
});

describe('an owner that lets its dependents live', () => {
  it('takes itself out of their references', async () => {
    const [owner, other] = [await make('owner'), await make('owner')];
    const child = await make('child', { ownerReferences: [ownedBy(owner)] });
    const shared = await make('child', { ownerReferences: [ownedBy(owner), ownedBy(other)] });
    expect((await remove(owner, 'Orphan')).body).toMatchObject({ metadata: { finalizers: ['orphan'] } });
    await gone(owner);
    expect((await find(child))?.metadata).not.toHaveProperty('ownerReferences');
    expect((await find(shared))?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([other.metadata.uid]);
  });

  it('may say so in the old way', async () => {
    const owner = await make('owner');
    const child = await make('child', { ownerReferences: [ownedBy(owner)] });
    const { body } = await http('DELETE', pathOf(owner), { body: { orphanDependents: true } });
    expect(body).toMatchObject({ metadata: { finalizers: ['orphan'] } });
    await gone(owner);
    expect(await find(child)).toBeDefined();
  });

  it('may have said so beforehand', async () => {
    const owner = await make('owner', { finalizers: ['orphan'] });
    const child = await make('child', { ownerReferences: [ownedBy(owner)] });
    await remove(owner);
    await gone(owner);
    expect((await find(child))?.metadata).not.toHaveProperty('ownerReferences');
  });

  it('is overruled by what the request says', async () => {
    const owner = await make('owner', { finalizers: ['orphan'] });
    const child = await make('child', { ownerReferences: [ownedBy(owner)] });
    await remove(owner, 'Background');
    await gone(owner, child);
  });
});

describe('an owner in another namespace', () => {
  it('does not count: what names it is deleted', async () => {
    const elsewhere = await namespace();
    const owner = await make('owner', {}, elsewhere);
    const child = await make('child', { ownerReferences: [ownedBy(owner)] });
    await gone(child);
    expect(await find(owner, elsewhere)).toBeDefined();
  });
});

describe('an owner in no namespace', () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const role = async (metadata: Record<string, unknown> = {}) => {
    const name = `${where}-${(count += 1)}`;
    const { body } = await http('POST', roles, { body: { metadata: { name, ...metadata }, rules: [] } });
    return body as Found;
  };
  const ownedByRole = ({ metadata: { name, uid } }: Found) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    name,
    uid,
  });

  it('may have dependents in namespaces and in none', async () => {
    const owner = await role();
    const inside = await make('child', { ownerReferences: [ownedByRole(owner)] });
    const outside = await role({ ownerReferences: [ownedByRole(owner)] });
    await barrier();
    expect(await find(inside)).toBeDefined();
    await http('DELETE', `${roles}/${owner.metadata.name}`);
    await gone(inside);
    await eventually(
      async () => {
        expect((await http('GET', `${roles}/${outside.metadata.name}`)).status).toBe(404);
      },
      { timeout: 20_000 },
    );
  });

  it('is not one in a namespace, which what is in none cannot have', async () => {
    const owner = await make('owner');
    const child = await role({ ownerReferences: [ownedBy(owner)] });
    await remove(owner);
    await barrier();
    expect((await http('GET', `${roles}/${child.metadata.name}`)).status).toBe(200);
    await http('DELETE', `${roles}/${child.metadata.name}`);
  });
});

describe('references to owners are refused', () => {
  it.each<[string, Record<string, unknown>[], string]>([
    [
      'without a name',
      [{ apiVersion: 'v1', kind: 'ConfigMap', uid: 'u' }],
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
    ],
    [
      'without a uid',
      [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }],
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
    [
      'to Events',
      [{ apiVersion: 'v1', kind: 'Event', name: 'a', uid: 'u' }],
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"a","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ],
    [
      'with two controllers',
      ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: name, controller: true })),
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"a","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"b","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for ConfigMap/a and ConfigMap/b',
    ],
  ])('%s', async (_what, ownerReferences, problem) => {
    const answer = await http('POST', configMaps(), { body: { metadata: { name: 'refused', ownerReferences } } });
    expect(answer).toMatchObject({ status: 422, body: { message: `ConfigMap "refused" is invalid: ${problem}` } });
  });
});
