import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, INVALID, NOT_FOUND, refused } from '../refusal.ts';
import { masked, owns, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, subjects, namespace, make, get, unique } = writeScene(harness);

describe('a created object', () => {
  const metadata = (name: string) => ({
    name,
    namespace: namespace(),
    uid: '<uid>',
    resourceVersion: '<version>',
    creationTimestamp: '<time>',
  });

  it('of a built-in kind has the metadata that the server sets', async () => {
    const name = unique();
    const body = await make(configMaps.path(), configMaps.object(name, { a: '1' }));
    expect(masked(body)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { ...metadata(name), managedFields: [owns('unknown', { 'f:data': { '.': {}, 'f:a': {} } })] },
      data: { a: '1' },
    });
    expect(await get(configMaps.path(name))).toEqual(body);
  });
});

describe.each(subjects)('a create of %s', (_what, kind) => {
  const post = async (body: unknown, query = '', contentType = 'application/json') =>
    await http('POST', kind.path(undefined, query), { body, contentType });

  it.each([
    ['no name', () => kind.object(undefined), INVALID],
    ['no metadata', () => ({ ...kind.object('x'), metadata: undefined }), INVALID],
    ['an empty generateName', () => kind.object(undefined, undefined, { generateName: '' }), INVALID],
    ['a namespace that differs from the path', () => kind.object('x', undefined, { namespace: 'other' }), BAD_REQUEST],
    ['a resourceVersion', () => kind.object('x', undefined, { resourceVersion: '1' }), refused(500)],
    ['an empty body', () => '', BAD_REQUEST],
    ['invalid JSON', () => '{"a":1,}', BAD_REQUEST],
    ['YAML that is declared as JSON', () => '{a: b}', BAD_REQUEST],
    ['a list', () => '[]', BAD_REQUEST],
    ['a body larger than 3 MiB', () => kind.object('x', { text: 'x'.repeat(3 * 2 ** 20) }), refused(413)],
    ['another kind', () => ({ ...kind.object('x'), kind: 'Other' }), kind.group === '' ? BAD_REQUEST : INVALID],
    ['another apiVersion', () => ({ ...kind.object('x'), apiVersion: 'foo/v1' }), BAD_REQUEST],
    ['labels that are not strings', () => kind.object('x', undefined, { labels: { a: 3 } }), BAD_REQUEST],
  ])('is refused with %s', async (_name, body, expected) => {
    expect(await post(body())).toMatchObject(expected);
  });

  it('is refused if the name is in use, also in a dry run', async () => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    for (const query of ['', '?dryRun=All'])
      expect(await post(kind.object(name), query)).toMatchObject(refused(409, 'AlreadyExists'));
  });

  it('is refused if the namespace does not exist', async () => {
    const path = kind.path().replace(namespace(), 'not-there');
    expect(await http('POST', path, { body: kind.object('x') })).toMatchObject(NOT_FOUND);
  });

  it.each(['text/plain', 'application/merge-patch+json'])('is refused with the media type %s', async (contentType) => {
    const answer = await post(JSON.stringify(kind.object('x')), '', contentType);
    expect(answer).toMatchObject(refused(415, 'UnsupportedMediaType'));
  });

  it('ignores metadata that only the server sets', async () => {
    const claimed = {
      uid: 'claimed',
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      resourceVersion: '0',
    };
    const { metadata } = await make(kind.path(), kind.object(unique(), undefined, claimed));
    expect(masked(metadata)).toMatchObject({ uid: '<uid>', creationTimestamp: '<time>', resourceVersion: '<version>' });
    expect(metadata['creationTimestamp']).not.toBe('2000-01-01T00:00:00Z');
    for (const key of ['deletionTimestamp', 'deletionGracePeriodSeconds']) expect(metadata).not.toHaveProperty(key);
  });

  it('accepts YAML and parameters of the media type', async () => {
    const yaml = `apiVersion: ${kind.apiVersion}\nkind: ${kind.kind}\nmetadata:\n  name: in-yaml\n  labels: {a: "1"}\n`;
    expect(await post(yaml, '', 'application/yaml')).toMatchObject({
      status: 201,
      body: { kind: kind.kind, metadata: { name: 'in-yaml', labels: { a: '1' } } },
    });
    expect((await post(kind.object(unique()), '', 'application/json; charset=utf-8')).status).toBe(201);
  });
});

it('kind and apiVersion are optional for a built-in kind and required for a custom kind', async () => {
  const body = { metadata: { name: unique() } };
  expect(await http('POST', configMaps.path(), { body })).toMatchObject({
    status: 201,
    body: { kind: 'ConfigMap', apiVersion: 'v1' },
  });
  expect(await http('POST', widgets.path(), { body })).toMatchObject(BAD_REQUEST);
});

describe.each(subjects)('generateName of %s', (_what, kind) => {
  const SUFFIX = '[bcdfghjklmnpqrstvwxz2456789]{5}';
  const generated = async (generateName: string) =>
    (await make(kind.path(), kind.object(undefined, undefined, { generateName }))).metadata.name;

  it('is extended with five random characters', async () => {
    const names = [await generated('made-'), await generated('made-')];
    for (const name of names) expect(name).toMatch(new RegExp(`^made-${SUFFIX}$`));
    expect(new Set(names).size).toBe(2);
  });

  it('is cut, so that the name has 63 characters', async () => {
    expect(await generated('p'.repeat(70))).toMatch(new RegExp(`^p{58}${SUFFIX}$`));
  });

  it('is ignored if there is a name', async () => {
    const { metadata } = await make(kind.path(), kind.object('given', undefined, { generateName: 'made-' }));
    expect(metadata).toMatchObject({ name: 'given', generateName: 'made-' });
  });

  it('must be the start of a valid name', async () => {
    const body = kind.object(undefined, undefined, { generateName: 'A_' });
    expect(await http('POST', kind.path(), { body })).toMatchObject(INVALID);
  });
});

describe('values of a custom kind', () => {
  const dry = async (body: unknown) => await http('POST', `${widgets.path()}?dryRun=All`, { body });
  const entry = { name: 'a', value: null, preset: null };

  it.each<[string, Record<string, unknown>, object]>([
    [
      'empty values are kept',
      { text: '', number: 0, flag: false, list: [], map: {}, pair: {}, entries: [] },
      { text: '', number: 0, flag: false, list: [], map: {}, pair: {}, entries: [] },
    ],
    [
      'nulls are removed unless the schema has nullable',
      { text: null, preset: null, nullable: null, map: { a: null }, free: { a: null }, entries: [entry] },
      { nullable: null, map: {}, free: { a: null }, entries: [{ name: 'a', preset: 'q' }] },
    ],
    ['strings can contain any Unicode character', { text: 'ä\u2028<>&\u0007🙂' }, { text: 'ä\u2028<>&\u0007🙂' }],
  ])('%s', async (_what, sent, expected) => {
    const { status, body } = await dry(widgets.object('a', sent));
    expect(status).toBe(201);
    expect((body as Body).spec).toEqual({ preset: 'p', ...expected });
  });

  it('a null in a list is refused', async () => {
    expect(await dry(widgets.object('a', { list: [null] }))).toMatchObject(INVALID);
  });

  it('a number with a fraction of zero is an integer', async () => {
    const send = async (spec: string) =>
      await dry(`{"apiVersion":"${widgets.apiVersion}","kind":"Widget","metadata":{"name":"a"},"spec":${spec}}`);
    expect(await send('{"number":1.0,"free":{"a":1e3,"b":0.1e1,"c":1e21,"d":1e-7}}')).toMatchObject({
      status: 201,
      body: { spec: { number: 1, free: { a: 1000, b: 1, c: 1e21, d: 1e-7 } } },
    });
    expect(await send('{"number":1.5}')).toMatchObject(INVALID);
  });

  it('a spec that is null is removed', async () => {
    const { status, body } = await dry({ ...widgets.object('a'), spec: null });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('spec');
  });
});
