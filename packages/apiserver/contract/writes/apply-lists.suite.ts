import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { CONFLICT, refused } from '../refusal.ts';
import { APPLY, owns, ownersOf, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { widgets, within, patch, unique } = writeScene(harness);

/** Applies specs to one widget. */
const applying = () => {
  const name = unique();
  const send = async (manager: string, spec: unknown, query = '') =>
    await patch(APPLY, widgets.path(name, `?fieldManager=${manager}${query}`), { ...widgets.object(name), spec });
  return {
    send,
    /** The spec after a successful apply. */
    apply: async (manager: string, spec: unknown, query = '') => {
      const answer = await send(manager, spec, query);
      expect(answer).toMatchObject({ status: expect.toBeOneOf([200, 201]) as number });
      const { preset: _defaulted, ...rest } = (answer.body as Body).spec ?? {};
      return rest;
    },
  };
};
const applied = (fields: object) => [
  owns('me', { 'f:spec': fields }, { operation: 'Apply', apiVersion: widgets.apiVersion }),
];
const entry = (name: string, more: object = {}) => ({ name, ...more, preset: 'q' });

describe('a list of the type map', () => {
  it('is merged by its keys', async () => {
    const { apply } = applying();
    await apply('me', { entries: [{ name: 'i', value: '1' }, { name: 'j' }] });
    const all = { entries: [entry('i', { value: '1' }), entry('k'), entry('j')] };
    expect(await apply('you', { entries: [{ name: 'k' }, { name: 'j' }] })).toEqual(all);
    expect(await apply('me', { entries: [{ name: 'i', value: '1' }] })).toEqual(all);
    expect(await apply('me', {})).toEqual({ entries: [entry('k'), entry('j')] });
  });

  it('is owned by item and field', async () => {
    const { apply, send } = applying();
    const { body } = await send('me', { entries: [{ name: 'i', value: '1' }] });
    const fields = { '.': {}, 'f:name': {}, 'f:value': {} };
    expect(ownersOf(body)).toEqual(applied({ 'f:entries': { 'k:{"name":"i"}': fields } }));
    expect(await send('you', { entries: [{ name: 'i', value: '2' }] })).toMatchObject(CONFLICT);
    expect(await apply('you', { entries: [{ name: 'i', value: '2' }] }, '&force=true')).toEqual({
      entries: [entry('i', { value: '2' })],
    });
  });

  it('has the order of the last apply', async () => {
    const { apply } = applying();
    await apply('me', { entries: [{ name: 'i' }, { name: 'j' }] });
    const order = ['j', 'n', 'i'].map((name) => ({ name }));
    expect(await apply('me', { entries: order })).toMatchObject({ entries: order });
  });
});

it('a list of the type set is merged by its members', async () => {
  const { apply } = applying();
  await apply('me', { set: ['a', 'b'] });
  expect(await apply('you', { set: ['c', 'b'] })).toEqual({ set: ['a', 'c', 'b'] });
  expect(await apply('me', { set: ['b', 'z', 'a'] })).toEqual({ set: ['c', 'b', 'z', 'a'] });
  expect(await apply('me', {})).toEqual({ set: ['c', 'b'] });
});

it.each([
  ['list', { list: ['a', 'b'] }, { list: ['c'] }],
  ['map', { whole: { a: '1' } }, { whole: { b: '2' } }],
])('an atomic %s is owned as one field', async (_what, mine, yours) => {
  const { apply, send } = applying();
  const { body } = await send('me', mine);
  const [field = ''] = Object.keys(mine);
  expect(ownersOf(body)).toEqual(applied({ [`f:${field}`]: {} }));
  expect(await send('you', yours)).toMatchObject(CONFLICT);
  expect(await apply('you', yours, '&force=true')).toEqual(yours);
  expect(await apply('me', {})).toEqual(yours);
});

it('an atomic list can be shared by managers that apply the same value', async () => {
  const { apply } = applying();
  await apply('me', { list: ['a'] });
  expect(await apply('you', { list: ['a'] })).toEqual({ list: ['a'] });
  expect(await apply('me', {})).toEqual({ list: ['a'] });
  expect(await apply('you', {})).toEqual({});
});

it.each<[string, Record<string, object>, Record<string, object>]>([
  ['map', { map: { a: '1' } }, { map: { b: '2' } }],
  ['pair', { pair: { a: '1' } }, { pair: { b: '2' } }],
  ['free', { free: { a: 1 } }, { free: { b: { c: [2] } } }],
])('a map is merged: %s', async (field, mine, yours) => {
  const { apply } = applying();
  await apply('me', mine);
  expect(await apply('you', yours)).toEqual({ [field]: { ...mine[field], ...yours[field] } });
  expect(await apply('me', {})).toEqual(yours);
});

it('fields without a schema have atomic lists and granular maps', async () => {
  const { apply, send } = applying();
  await apply('me', { free: { list: [{ a: 1 }], deep: { er: 1 } } });
  for (const free of [{ list: [] }, { deep: { er: 2 } }]) expect(await send('you', { free })).toMatchObject(CONFLICT);
});

it.each([
  { set: ['a', 'a'] },
  { entries: [{ name: 'a' }, { name: 'a' }] },
  { entries: [{ value: 'a' }] },
  { entries: [null] },
  { entries: ['x'] },
  { number: 'x' },
  { pair: 'x' },
  { list: 'x' },
])('an apply that cannot be merged is refused: %j', async (spec) => {
  expect(await applying().send('me', spec)).toMatchObject(refused(500));
});

it('the ports of a Service are merged by port and protocol, which has a default', async () => {
  const send = async (manager: string, spec: unknown) =>
    await patch(APPLY, `${within('services')}/s?fieldManager=${manager}`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec,
    });
  const ports = [
    { port: 80, name: 'a' },
    { port: 81, protocol: 'UDP', name: 'b' },
  ];
  const { body } = await send('me', { clusterIP: 'None', selector: { a: 'b' }, ports });
  expect(ownersOf(body)).toMatchObject([
    {
      fieldsV1: {
        'f:spec': {
          'f:ports': {
            'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} },
            'k:{"port":81,"protocol":"UDP"}': { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {} },
          },
          'f:selector': {},
        },
      },
    },
  ]);
  expect(await send('you', { ports: [{ port: 80, name: 'z' }] })).toMatchObject(CONFLICT);
  expect(await send('you', { selector: { c: 'd' } })).toMatchObject(CONFLICT);
  const merged = await send('you', { ports: [{ port: 80 }, { port: 82, name: 'c' }] });
  expect((merged.body as Body).spec?.['ports']).toMatchObject([...ports, { port: 82, name: 'c', protocol: 'TCP' }]);
});
