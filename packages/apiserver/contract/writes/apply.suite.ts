import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, APPLY, masked, MERGE, owns, ownersOf, writeScene, type Body, type Subject } from './write-scene.ts';

const harness = await cluster();
const { configMaps, widgets, subjects, namespace, within, get, patch, unique } = writeScene(harness);

const applying = (kind: Subject, name: string) => {
  const field = kind.group === '' ? '.data' : '.spec.map';
  return {
    field,
    path: kind.path(name),
    apply: async (manager: string, texts: Record<string, unknown>, query = '', metadata = {}) =>
      await patch(
        APPLY,
        kind.path(name, `?fieldManager=${manager}${query}`),
        kind.object(name, kind.group === '' ? texts : { map: texts }, metadata),
      ),
    texts: (body: unknown) => {
      const { data, spec } = body as Body;
      return kind.group === '' ? data : spec?.['map'];
    },
  };
};
const conflict = (message: string, ...causes: [string, string][]) =>
  refusal(409, 'Conflict', message, {
    causes: causes.map(([manager, field]) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${manager}`,
      field,
    })),
  });

describe('server-side apply', () => {
  it('creates what is not there, and owns what it says', async () => {
    const name = unique();
    const { apply, path } = applying(configMaps, name);
    const { status, body } = await apply('me', { a: '1' }, '', { labels: { l: '1' } });
    expect(status).toBe(201);
    expect(masked(body)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name,
        namespace: namespace(),
        uid: '<uid>',
        resourceVersion: '<version>',
        creationTimestamp: '<time>',
        labels: { l: '1' },
        managedFields: [
          owns('me', { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } }, { operation: 'Apply' }),
        ],
      },
      data: { a: '1' },
    });
    expect(await get(path)).toEqual(body);
  });

  it('does not own what is defaulted', async () => {
    const { apply } = applying(widgets, unique());
    const { body } = await apply('me', { a: '1' });
    expect(body).toMatchObject({ spec: { preset: 'p', map: { a: '1' } } });
    expect(ownersOf(body)).toEqual([
      owns('me', { 'f:spec': { 'f:map': { 'f:a': {} } } }, { operation: 'Apply', apiVersion: widgets.apiVersion }),
    ]);
  });
});

describe.each(subjects)('server-side apply of %s', (_what, kind) => {
  it('that says the same again changes nothing', async () => {
    const { apply, path } = applying(kind, unique());
    const { body } = await apply('me', { a: '1' });
    expect(answerOf(await apply('me', { a: '1' }))).toEqual({ status: 200, body });
    expect(await get(path)).toEqual(body);
  });

  it('takes away what its manager does not say any more', async () => {
    const { apply, texts } = applying(kind, unique());
    await apply('me', { a: '1', b: '2' }, '', { labels: { l: '1' }, finalizers: ['test.io/x'] });
    const { body } = await apply('me', { b: '2' });
    expect(texts(body)).toEqual({ b: '2' });
    expect(body).not.toHaveProperty('metadata.labels');
    expect(body).not.toHaveProperty('metadata.finalizers');
  });

  it('leaves what others wrote', async () => {
    const name = unique();
    const { apply, path, texts } = applying(kind, name);
    await apply('me', { a: '1' });
    await patch(MERGE, path, { metadata: { labels: { theirs: 'yes' } } });
    await apply('you', { b: '2' });
    const { body } = await apply('me', {});
    expect(texts(body)).toEqual({ b: '2' });
    expect(body).toMatchObject({ metadata: { labels: { theirs: 'yes' } } });
  });

  it('shares what two say alike, until both do not say it any more', async () => {
    const { apply, texts } = applying(kind, unique());
    await apply('me', { a: '1' });
    await apply('you', { a: '1' });
    expect(texts((await apply('me', {})).body)).toEqual({ a: '1' });
    expect(texts((await apply('you', {})).body) ?? {}).toEqual({});
  });

  it('is refused where it contradicts another', async () => {
    const { apply, field, path } = applying(kind, unique());
    const { body } = await apply('me', { a: '1', b: '1' });
    expect(answerOf(await apply('you', { a: '2' }))).toEqual(
      conflict(`Apply failed with 1 conflict: conflict with "me": ${field}.a`, ['"me"', `${field}.a`]),
    );
    expect(answerOf(await apply('you', { a: '2', b: '2' }))).toEqual(
      conflict(
        `Apply failed with 2 conflicts: conflicts with "me":\n- ${field}.a\n- ${field}.b`,
        ['"me"', `${field}.a`],
        ['"me"', `${field}.b`],
      ),
    );
    expect(await get(path)).toEqual(body);
  });

  it('tells the conflicts of each manager', async () => {
    const { apply, field, path } = applying(kind, unique());
    await apply('me', { a: '1' });
    const change = kind.group === '' ? { data: { b: '1' } } : { spec: { map: { b: '1' } } };
    await patch(MERGE, `${path}?fieldManager=editor`, change);
    const editor = `"editor" using ${kind.apiVersion}`;
    const { status, body } = await apply('you', { a: '2', b: '2' });
    expect({ status, message: (body as Body)['message'] }).toEqual({
      status: 409,
      message: `Apply failed with 2 conflicts: conflicts with ${editor}:\n- ${field}.b\nconflicts with "me":\n- ${field}.a`,
    });
    // Causes of several managers are in no order.
    const { causes } = (body as Body)['details'] as { causes: { message: string; field: string }[] };
    expect(new Map(causes.map((cause) => [cause.field, cause.message]))).toEqual(
      new Map([
        [`${field}.a`, 'conflict with "me"'],
        [`${field}.b`, `conflict with ${editor}`],
      ]),
    );
  });

  it('takes over when it is forced', async () => {
    const { apply, texts } = applying(kind, unique());
    await apply('me', { a: '1', b: '1' });
    const { body } = await apply('you', { a: '2' }, '&force=true');
    expect(texts(body)).toEqual({ a: '2', b: '1' });
    // Who has lost a field says nothing about it by not saying it any more.
    expect(texts((await apply('me', { b: '1' })).body)).toEqual({ a: '2', b: '1' });
  });

  it('of an uid or a version is of that object alone', async () => {
    const name = unique();
    const { apply } = applying(kind, name);
    const uid = `uid mismatch: the provided object specified uid x, and no existing object was found`;
    expect(answerOf(await apply('me', {}, '', { uid: 'x' }))).toEqual(
      refusal(
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${kind.resource} "${name}": ${uid}`,
        kind.details(name),
      ),
    );
    expect((await apply('me', {}, '', { resourceVersion: '5' })).status).toBe(201);
    expect(answerOf(await apply('me', {}, '', { resourceVersion: '5' }))).toEqual(
      refusal(
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${kind.resource} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
        kind.details(name),
      ),
    );
  });

  it('is validated as a whole', async () => {
    const name = unique();
    const { apply } = applying(kind, name);
    expect(await apply('me', {}, '', { labels: { 'a b': 'x' } })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ field: 'metadata.labels' }] } },
    });
  });
});

describe('server-side apply of a Deployment', () => {
  const path = (rest = '') => `${within('deployments', 'apps')}/d${rest}`;
  const apply = async (manager: string, spec: unknown) =>
    await patch(APPLY, path(`?fieldManager=${manager}`), {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec,
    });
  const conflictWithMe = (field: string) => ({
    status: 409,
    body: { message: `Apply failed with 1 conflict: conflict with "me": .spec.${field}` },
  });
  const X = { name: 'X', value: '1' };
  const Y = { name: 'Y', value: '2' };
  const unscaled = {
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'a', image: 'one', env: [X] }] },
    },
  };

  it('merges containers and their variables, and leaves replicas that are no longer applied', async () => {
    const container = (more: object) => ({ template: { spec: { containers: [{ name: 'a', ...more }] } } });
    expect((await apply('me', { ...unscaled, replicas: 2 })).status).toBe(201);
    expect(await apply('you', container({ env: [Y] }))).toMatchObject({
      status: 200,
      body: { spec: container({ image: 'one', env: [X, Y] }) },
    });
    expect(await apply('you', container({ image: 'two' }))).toMatchObject(
      conflictWithMe('template.spec.containers[name="a"].image'),
    );
    expect((await patch(MERGE, path('?fieldManager=scaler'), { spec: { replicas: 3 } })).status).toBe(200);
    expect(await apply('me', unscaled)).toMatchObject({ status: 200, body: { spec: { replicas: 3 } } });
    expect(await get(path())).toMatchObject({ spec: { replicas: 3 } });
  });
});
