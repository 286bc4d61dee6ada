import { describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { definitionScene, object, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http, watch } = await cluster();
const { define, change } = definitionScene(http);

const MERGE = 'application/merge-patch+json';
const text = (value: unknown, more: object = {}) => ({ type: 'string', default: value, ...more });
const patch = async (path: string, body: object) => await http('PATCH', path, { body, contentType: MERGE });
const stored = async (kind: CustomKind, fields: Record<string, unknown>): Promise<object> => {
  const { status, body } = await kind.create(fields, '?dryRun=All');
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as object;
};

describe('a default', () => {
  it('is set if the parent exists and the field is absent', async () => {
    const falsy = { a: { type: 'boolean', default: false }, b: { type: 'integer', default: 0 }, c: text('') };
    const kind = await define(
      spec({
        a: text('one'),
        nested: object({ a: text('deep'), b: { type: 'integer', default: 5 } }),
        list: { type: 'array', items: object({ a: text('item') }) },
        map: { type: 'object', additionalProperties: object({ a: text('value') }) },
        array: { type: 'array', items: { type: 'integer' }, default: [17, 3] },
        empty: object({ a: text('in an empty default') }, { default: {} }),
        falsy: object(falsy, { default: {} }),
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: object({ a: text('x') }, { default: {} }) },
        },
      }),
    );
    expect(await stored(kind, { spec: {} })).toMatchObject({
      spec: { a: 'one', array: [17, 3], empty: { a: 'in an empty default' }, falsy: { a: false, b: 0, c: '' } },
    });
    const pod = { apiVersion: 'v1', kind: 'Pod' };
    const sent = { nested: { b: 1 }, list: [{}, { a: 'own' }], map: { x: {} }, embedded: pod };
    expect(await stored(kind, { spec: sent })).toMatchObject({
      spec: {
        nested: { a: 'deep', b: 1 },
        list: [{ a: 'item' }, { a: 'own' }],
        map: { x: { a: 'value' } },
        embedded: { ...pod, spec: { a: 'x' } },
      },
    });
    expect(await stored(kind, {})).not.toHaveProperty('spec');
    expect(await stored(kind, { spec: { a: '', array: [] } })).toMatchObject({ spec: { a: '', array: [] } });
  });

  it('of the status is shown, although a status that is sent with the object is dropped', async () => {
    const status = object({ a: text('in it'), b: { type: 'string' } }, { default: { b: 'y' } });
    const kind = await define(object({ status }), { version: { subresources: { status: {} } } });
    expect(await kind.create({ status: { b: 'sent' } })).toMatchObject({ body: { status: { a: 'in it', b: 'y' } } });
    expect((await http('GET', `${kind.path}/a`)).body).toMatchObject({ status: { a: 'in it', b: 'y' } });
    const patched = await patch(`${kind.path}/a/status`, { status: { b: 'own' } });
    expect(patched.body).toMatchObject({ status: { a: 'in it', b: 'own' } });
  });

  it('replaces null if the field is not nullable', async () => {
    const nullable = { nullable: true };
    const string = { type: 'string' };
    const kind = await define(
      spec({ a: text('set'), b: text('kept', nullable), c: string, d: { ...string, ...nullable } }),
    );
    const made = await stored(kind, { spec: { a: null, b: null, c: null, d: null } });
    expect(made).toHaveProperty('spec', { a: 'set', b: null, d: null });
  });

  it('is validated', async () => {
    const rules = { 'x-kubernetes-validations': [{ rule: '!has(self.min) || self.min <= self.max' }] };
    const kind = await define(spec({ min: { type: 'integer' }, max: { type: 'integer', default: 5 } }, rules));
    expect(await kind.refusals({ spec: { min: 6 } })).toHaveLength(1);
  });

  it('is set in all reads of objects that were stored before', async () => {
    const kind = await define(spec({ a: { type: 'string' } }));
    const { metadata } = (await kind.create({ spec: {} })).body as { metadata: object };
    const versions = [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: spec({ a: text('later') }) } },
    ];
    expect((await change(kind.definition, { versions })).status).toBe(200);
    const object = { metadata, spec: { a: 'later' } };
    await eventually(async () => {
      expect((await http('GET', `${kind.path}/a`)).body).toMatchObject(object);
      // 429 until the cache for the new definition is filled.
      expect((await http('GET', kind.path)).body).toMatchObject({ items: [object] });
    });
    const events = await watch(`${kind.path}?watch=true&resourceVersion=0`, { until: ({ length }) => length > 0 });
    expect(events).toMatchObject([{ type: 'ADDED', object }]);
    const labelled = { metadata: { labels: { a: 'b' } } };
    expect((await patch(`${kind.path}/a`, labelled)).body).toMatchObject({ ...labelled, spec: object.spec });
  });

  it('in the status is set in writes of the status', async () => {
    const status = object({ phase: text('New'), n: { type: 'integer' } });
    const kind = await define(object({ spec: object({ a: text('x') }), status }), {
      version: { subresources: { status: {} } },
    });
    expect((await kind.create({ spec: {}, status: { n: 1 } })).body).not.toHaveProperty('status');
    const changed = await patch(`${kind.path}/a/status`, { status: { n: 1 } });
    expect(changed).toMatchObject({ status: 200, body: { status: { n: 1, phase: 'New' } } });
  });

  it('of the whole status is set in a create', async () => {
    const kind = await define(object({ status: object({ phase: text('New') }, { default: {} }) }), {
      version: { subresources: { status: {} } },
    });
    expect((await kind.create({ status: { phase: 'Old' } })).body).toMatchObject({ status: { phase: 'New' } });
  });
});
