import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { APPLY, owns, ownersOf, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { widgets, within, patch, unique } = writeScene(harness);

/** Applies to one widget; returns its spec, or the message of a refusal. */
const applying = () => {
  const name = unique();
  const send = async (manager: string, spec: unknown, query = '') =>
    await patch(APPLY, widgets.path(name, `?fieldManager=${manager}${query}`), {
      ...widgets.object(name),
      spec,
    });
  return {
    send,
    apply: async (manager: string, spec: unknown, query = '') => {
      const { status, body } = await send(manager, spec, query);
      if (status >= 300) return { status, message: (body as Body)['message'] };
      const { preset: _defaulted, ...rest } = (body as Body).spec ?? {};
      return rest;
    },
  };
};
const conflict = (field: string) => ({
  status: 409,
  message: `Apply failed with 1 conflict: conflict with "me": .spec.${field}`,
});
const entry = (name: string, value?: string) => ({ name, ...(value === undefined ? {} : { value }), preset: 'q' });

describe('a list that is a map', () => {
  it('is merged by its keys', async () => {
    const { apply } = applying();
    await apply('me', { entries: [{ name: 'i', value: '1' }, { name: 'j' }] });
    expect(await apply('you', { entries: [{ name: 'k', value: '3' }, { name: 'j' }] })).toEqual({
      entries: [entry('i', '1'), entry('k', '3'), entry('j')],
    });
    expect(await apply('me', { entries: [{ name: 'i', value: '1' }] })).toEqual({
      entries: [entry('i', '1'), entry('k', '3'), entry('j')],
    });
    expect(await apply('me', {})).toEqual({ entries: [entry('k', '3'), entry('j')] });
  });

  it('is owned item by item', async () => {
    const { send } = applying();
    const { body } = await send('me', { entries: [{ name: 'i', value: '1' }] });
    expect(ownersOf(body)).toEqual([
      owns(
        'me',
        { 'f:spec': { 'f:entries': { 'k:{"name":"i"}': { '.': {}, 'f:name': {}, 'f:value': {} } } } },
        { operation: 'Apply', apiVersion: widgets.apiVersion },
      ),
    ]);
  });

  it('is fought over field by field', async () => {
    const { apply } = applying();
    await apply('me', { entries: [{ name: 'i', value: '1' }] });
    expect(await apply('you', { entries: [{ name: 'i', value: '2' }] })).toEqual(conflict('entries[name="i"].value'));
    expect(await apply('you', { entries: [{ name: 'i', value: '2' }] }, '&force=true')).toEqual({
      entries: [entry('i', '2')],
    });
  });

  it('is in the order of who applies it', async () => {
    const { apply } = applying();
    await apply('me', { entries: [{ name: 'i' }, { name: 'j' }] });
    expect(await apply('me', { entries: [{ name: 'j' }, { name: 'n' }, { name: 'i' }] })).toEqual({
      entries: [entry('j'), entry('n'), entry('i')],
    });
  });
});

describe('a list that is a set', () => {
  it('is merged by its members', async () => {
    const { apply } = applying();
    await apply('me', { set: ['a', 'b'] });
    expect(await apply('you', { set: ['c', 'b'] })).toEqual({ set: ['a', 'c', 'b'] });
    expect(await apply('me', { set: ['b', 'z', 'a'] })).toEqual({ set: ['c', 'b', 'z', 'a'] });
    expect(await apply('me', {})).toEqual({ set: ['c', 'b'] });
  });
});

describe('a list, map or object that is atomic', () => {
  it.each([
    ['list', { list: ['a', 'b'] }, { list: ['c'] }],
    ['whole', { whole: { a: '1' } }, { whole: { b: '2' } }],
  ])('is one field: %s', async (field, mine, yours) => {
    const { apply, send } = applying();
    const { body } = await send('me', mine);
    expect(ownersOf(body)).toEqual([
      owns('me', { 'f:spec': { [`f:${field}`]: {} } }, { operation: 'Apply', apiVersion: widgets.apiVersion }),
    ]);
    expect(await apply('you', yours)).toEqual(conflict(field));
    expect(await apply('you', yours, '&force=true')).toEqual(yours);
    expect(await apply('me', {})).toEqual(yours);
  });

  it('can be shared by who says the same', async () => {
    const { apply } = applying();
    await apply('me', { list: ['a'] });
    expect(await apply('you', { list: ['a'] })).toEqual({ list: ['a'] });
    expect(await apply('me', {})).toEqual({ list: ['a'] });
    expect(await apply('you', {})).toEqual({});
  });
});

describe('a map or object that is granular', () => {
  it.each([
    ['map', { map: { a: '1' } }, { map: { b: '2' } }],
    ['pair', { pair: { a: '1' } }, { pair: { b: '2' } }],
    ['free', { free: { a: 1 } }, { free: { b: { c: [2] } } }],
  ])('is merged: %s', async (field, mine, yours) => {
    const { apply } = applying();
    await apply('me', mine);
    const both = { ...(mine as Record<string, object>)[field], ...(yours as Record<string, object>)[field] };
    expect(await apply('you', yours)).toEqual({ [field]: both });
    expect(await apply('me', {})).toEqual(yours);
  });

  it('without a schema has lists that are atomic', async () => {
    const { apply } = applying();
    await apply('me', { free: { list: [{ a: 1 }], deep: { er: 1 } } });
    expect(await apply('you', { free: { list: [] } })).toEqual(conflict('free.list'));
    expect(await apply('you', { free: { deep: { er: 2 } } })).toEqual(conflict('free.deep.er'));
  });
});

describe('ports of a Service', () => {
  const send = async (manager: string, spec: unknown) =>
    await patch(APPLY, `${within('services')}/s?fieldManager=${manager}`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec,
    });

  it('are merged by number and protocol, which need not be said', async () => {
    const ports = [
      { port: 80, name: 'a' },
      { port: 81, protocol: 'UDP', name: 'b' },
    ];
    expect(ownersOf((await send('me', { clusterIP: 'None', selector: { a: 'b' }, ports })).body)).toEqual([
      owns(
        'me',
        {
          'f:spec': {
            'f:clusterIP': {},
            'f:ports': {
              'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} },
              'k:{"port":81,"protocol":"UDP"}': { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {} },
            },
            'f:selector': {},
          },
        },
        { operation: 'Apply' },
      ),
    ]);
    expect(await send('you', { ports: [{ port: 80, name: 'z' }] })).toMatchObject({
      status: 409,
      body: {
        message: 'Apply failed with 1 conflict: conflict with "me": .spec.ports[port=80,protocol="TCP"].name',
      },
    });
    expect(await send('you', { selector: { c: 'd' } })).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "me": .spec.selector' },
    });
    const { body } = await send('you', { ports: [{ port: 80 }, { port: 82, name: 'c' }] });
    expect((body as Body).spec?.['ports']).toEqual([
      { name: 'a', port: 80, protocol: 'TCP', targetPort: 80 },
      { name: 'b', port: 81, protocol: 'UDP', targetPort: 81 },
      { name: 'c', port: 82, protocol: 'TCP', targetPort: 82 },
    ]);
  });
});
