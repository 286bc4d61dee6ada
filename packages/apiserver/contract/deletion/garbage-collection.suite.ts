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
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const HELD = { finalizers: ['test.io/hold'] };
const configMaps = (home = where) => `/api/v1/namespaces/${home}/configmaps`;
const pathOf = ({ metadata: { name } }: Found, home = where) => `${configMaps(home)}/${name}`;
const ownedBy = ({ metadata: { name, uid } }: Found, more: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...more,
});
const make = async (metadata: Record<string, unknown> = {}, home = where) => {
  const name = `object-${(count += 1)}`;
  const { status, body } = await http('POST', configMaps(home), { body: { metadata: { name, ...metadata } } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as Found;
};
const child = async (owners: object[], more: object = {}) => await make({ ownerReferences: owners, ...more });
const patch = async (object: Found, metadata: object) =>
  await http('PATCH', pathOf(object), { body: { metadata }, contentType: MERGE });
const remove = async (object: Found, options?: object) =>
  await http('DELETE', pathOf(object), options === undefined ? {} : { body: options });
const foreground = async (object: Found) => await remove(object, { propagationPolicy: 'Foreground' });
const find = async (object: Found, home = where): Promise<Found['metadata'] | undefined> => {
  const { status, body } = await http('GET', pathOf(object, home));
  return status === 200 ? (body as Found).metadata : undefined;
};
const soon = async (attempt: () => Promise<void>) => {
  await eventually(attempt, { timeout: 20_000 });
};
const gone = async (...objects: Found[]) => {
  await soon(async () => {
    for (const object of objects) expect(await find(object)).toBeUndefined();
  });
};
const deleting = async (object: Found) => {
  await soon(async () => {
    expect((await find(object))?.deletionTimestamp).toBeTypeOf('string');
  });
};
const ownersOf = async (object: Found) => (await find(object))?.ownerReferences?.map(({ uid }) => uid);
/** Waits for a collection that starts now, so that earlier ones have been processed. */
const barrier = async () => {
  const owner = await make();
  const dependent = await child([ownedBy(owner)]);
  await remove(owner);
  await gone(dependent);
};

describe('a dependent', () => {
  it('is deleted after its owner, and so are its own dependents', async () => {
    const owner = await make();
    const dependent = await child([ownedBy(owner)]);
    const grandchild = await child([ownedBy(dependent)]);
    await remove(owner);
    expect(await find(owner)).toBeUndefined();
    await gone(dependent, grandchild);
  });

  it('is kept while it has another owner, and loses the reference to the deleted one', async () => {
    const [one, other] = [await make(), await make()];
    const dependent = await child([ownedBy(one), ownedBy(other)]);
    await remove(one);
    await soon(async () => {
      expect(await ownersOf(dependent)).toEqual([other.metadata.uid]);
    });
    await remove(other);
    await gone(dependent);
  });

  it('is deleted if its owner was deleted before or replaced by an object of the same name', async () => {
    const owner = await make();
    const late = await make();
    await remove(owner);
    await gone(await child([ownedBy(owner)]));
    await patch(late, { ownerReferences: [ownedBy(owner)] });
    await gone(late);
    await http('POST', configMaps(), { body: { metadata: { name: owner.metadata.name } } });
    await gone(await child([ownedBy(owner)]));
  });

  it('waits for its finalizers', async () => {
    const owner = await make();
    const dependent = await child([ownedBy(owner)], HELD);
    await remove(owner);
    await deleting(dependent);
    await patch(dependent, { finalizers: null });
    await gone(dependent);
  });

  it('of an unknown kind is kept', async () => {
    const uid = '00000000-0000-0000-0000-000000000001';
    const dependent = await child([{ apiVersion: 'nosuch.test.io/v1', kind: 'Nothing', name: 'a', uid }]);
    await barrier();
    expect(await find(dependent)).toBeDefined();
  });

  it('of an owner in another namespace is deleted', async () => {
    const elsewhere = await namespace();
    const owner = await make({}, elsewhere);
    await gone(await child([ownedBy(owner)]));
    expect(await find(owner, elsewhere)).toBeDefined();
  });
});

describe('a deletion in the foreground', () => {
  it('removes the owner after the dependents that block it', async () => {
    const owner = await make();
    const middle = await child([ownedBy(owner, { blockOwnerDeletion: true })]);
    const last = await child([ownedBy(middle, { blockOwnerDeletion: true })], HELD);
    expect((await foreground(owner)).body).toMatchObject({
      kind: 'ConfigMap',
      metadata: { finalizers: ['foregroundDeletion'], deletionTimestamp: expect.any(String) as string },
    });
    await deleting(last);
    for (const object of [owner, middle]) expect((await find(object))?.finalizers).toEqual(['foregroundDeletion']);
    await patch(last, { finalizers: null });
    await gone(last, middle, owner);
  });

  it('does not wait for dependents that do not block it', async () => {
    const owner = await make();
    const free = await child([ownedBy(owner)], HELD);
    await foreground(owner);
    await gone(owner);
    await deleting(free);
    await patch(free, { finalizers: null });
    await gone(free);
  });

  it('keeps dependents that have another owner', async () => {
    const [one, other] = [await make(), await make()];
    const dependent = await child([ownedBy(one, { blockOwnerDeletion: true }), ownedBy(other)]);
    await foreground(one);
    await gone(one);
    expect(await ownersOf(dependent)).toEqual([other.metadata.uid]);
  });

  it('waits for other finalizers', async () => {
    const owner = await make(HELD);
    await foreground(owner);
    await soon(async () => {
      expect((await find(owner))?.finalizers).toEqual(HELD.finalizers);
    });
    await patch(owner, { finalizers: null });
    await gone(owner);
  });
});

describe('a deletion that orphans the dependents', () => {
  it.each<[string, object, object]>([
    ['propagationPolicy: Orphan', {}, { propagationPolicy: 'Orphan' }],
    ['the finalizer orphan', { finalizers: ['orphan'] }, {}],
  ])('removes its references: %s', async (_how, metadata, options) => {
    const [owner, other] = [await make({ ...metadata }), await make()];
    const dependent = await child([ownedBy(owner)]);
    const shared = await child([ownedBy(owner), ownedBy(other)]);
    expect((await remove(owner, options)).body).toMatchObject({ metadata: { finalizers: ['orphan'] } });
    await gone(owner);
    expect(await find(dependent)).not.toHaveProperty('ownerReferences');
    expect(await ownersOf(shared)).toEqual([other.metadata.uid]);
  });

  it('is overridden by the propagation policy of the request', async () => {
    const owner = await make({ finalizers: ['orphan'] });
    const dependent = await child([ownedBy(owner)]);
    await remove(owner, { propagationPolicy: 'Background' });
    await gone(owner, dependent);
  });
});

describe('a cluster-scoped object', () => {
  const role = async (metadata: Record<string, unknown> = {}) => {
    const name = `${where}-${(count += 1)}`;
    const { body } = await http('POST', ROLES, { body: { metadata: { name, ...metadata }, rules: [] } });
    return body as Found;
  };

  it('can own namespaced and cluster-scoped objects', async () => {
    const owner = await role();
    const references = [ownedBy(owner, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' })];
    const [inside, outside] = [await child(references), await role({ ownerReferences: references })];
    await barrier();
    expect(await find(inside)).toBeDefined();
    await http('DELETE', `${ROLES}/${owner.metadata.name}`);
    await gone(inside);
    await soon(async () => {
      expect((await http('GET', `${ROLES}/${outside.metadata.name}`)).status).toBe(404);
    });
  });

  it('cannot be owned by a namespaced object', async () => {
    const owner = await make();
    const dependent = await role({ ownerReferences: [ownedBy(owner)] });
    await remove(owner);
    await barrier();
    const path = `${ROLES}/${dependent.metadata.name}`;
    expect((await http('GET', path)).status).toBe(200);
    await http('DELETE', path);
  });
});
