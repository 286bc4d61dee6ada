import { describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { definitionScene, object, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http, watch } = await cluster();
const { define, change } = definitionScene(http);

const MERGE = 'application/merge-patch+json';
const text = (value: unknown, more: object = {}) => ({ type: 'string', default: value, ...more });

async function stored(kind: CustomKind, fields: object): Promise<object> {
  const { status, body } = await kind.create(fields as Record<string, unknown>, '?dryRun=All');
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as object;
}

describe('a default', () => {
  it('is set where its parent exists and the field is absent', async () => {
    const kind = await define(
      spec({
        a: text('one'),
        nested: object({ a: text('deep'), b: { type: 'integer', default: 5 } }),
        list: { type: 'array', items: object({ a: text('item') }) },
        map: { type: 'object', additionalProperties: object({ a: text('value') }) },
        array: { type: 'array', items: { type: 'integer' }, default: [17, 3] },
        empty: { type: 'object', default: {}, properties: { a: text('in an empty default') } },
        falsy: object({ a: { type: 'boolean', default: false }, b: { type: 'integer', default: 0 }, c: text('') }, { default: {} }), // prettier-ignore
      }),
    );
    expect(await stored(kind, { spec: {} })).toMatchObject({
      spec: { a: 'one', array: [17, 3], empty: { a: 'in an empty default' }, falsy: { a: false, b: 0, c: '' } },
    });
    expect(await stored(kind, { spec: { nested: { b: 1 }, list: [{}, { a: 'own' }], map: { x: {} } } })).toMatchObject({
      spec: { nested: { a: 'deep', b: 1 }, list: [{ a: 'item' }, { a: 'own' }], map: { x: { a: 'value' } } },
    });
    const without = await stored(kind, {});
    expect(without).not.toHaveProperty('spec');
    expect(await stored(kind, { spec: { a: '', array: [] } })).toMatchObject({ spec: { a: '', array: [] } });
  });

  it('replaces null where the field is not nullable; without a default, null is dropped', async () => {
    const kind = await define(
      spec({
        a: text('set'),
        b: text('kept', { nullable: true }),
        c: { type: 'string' },
        d: { type: 'string', nullable: true },
      }),
    );
    const made = await stored(kind, { spec: { a: null, b: null, c: null, d: null } });
    expect(made).toHaveProperty('spec', { a: 'set', b: null, d: null });
  });

  it('is validated like other values', async () => {
    const kind = await define(
      spec(
        { min: { type: 'integer' }, max: { type: 'integer', default: 5 } },
        {
          'x-kubernetes-validations': [{ rule: '!has(self.min) || self.min <= self.max', message: 'min above max' }],
        },
      ),
    );
    expect(await kind.refusals({ spec: { min: 6 } })).toEqual([
      'FieldValueInvalid spec: Invalid value: "object": min above max',
    ]);
  });

  it('applies to stored objects, in all reads', async () => {
    const kind = await define(spec({ a: { type: 'string' } }));
    expect((await kind.create({ spec: {} })).status).toBe(201);
    const first = (await http('GET', `${kind.path}/a`)).body as { metadata: { resourceVersion: string } };
    const schema = { openAPIV3Schema: spec({ a: text('later') }) };
    expect(
      (await change(kind.definition, { versions: [{ name: 'v1', served: true, storage: true, schema }] })).status,
    ).toBe(200);
    await eventually(async () => {
      expect((await http('GET', `${kind.path}/a`)).body).toMatchObject({ spec: { a: 'later' } });
    });
    const { resourceVersion } = first.metadata;
    expect((await http('GET', `${kind.path}/a`)).body).toMatchObject({ metadata: { resourceVersion, generation: 1 } });
    expect((await http('GET', kind.path)).body).toMatchObject({ items: [{ spec: { a: 'later' } }] });
    const [event] = await watch(`${kind.path}?watch=true&resourceVersion=0`, { until: ({ length }) => length > 0 });
    expect(event).toMatchObject({ type: 'ADDED', object: { spec: { a: 'later' } } });
    const labelled = await http('PATCH', `${kind.path}/a`, {
      body: { metadata: { labels: { a: 'b' } } },
      contentType: MERGE,
    });
    expect(labelled).toMatchObject({ status: 200, body: { spec: { a: 'later' }, metadata: { labels: { a: 'b' } } } });
  });

  it('of a field of the status is set with the status', async () => {
    const kind = await define(
      object({ spec: object({ a: text('x') }), status: object({ phase: text('New'), n: { type: 'integer' } }) }),
      { version: { subresources: { status: {} } } },
    );
    const made = await kind.create({ spec: {}, status: { n: 1 } });
    expect(made).toMatchObject({ status: 201, body: { spec: { a: 'x' } } });
    expect(made.body).not.toHaveProperty('status');
    const changed = await http('PATCH', `${kind.path}/a/status`, { body: { status: { n: 1 } }, contentType: MERGE });
    expect(changed).toMatchObject({ status: 200, body: { status: { n: 1, phase: 'New' } } });
  });

  it('of the whole status is set at once', async () => {
    const kind = await define(
      object({ spec: object({ a: text('x') }), status: object({ phase: text('New') }, { default: {} }) }),
      { version: { subresources: { status: {} } } },
    );
    const made = await kind.create({ spec: {}, status: { phase: 'Old' } });
    expect(made).toMatchObject({ status: 201, body: { status: { phase: 'New' } } });
  });

  it('of an embedded object and of its metadata is set', async () => {
    const embedded = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: object({ a: text('x') }, { default: {} }) },
    };
    const kind = await define(spec({ embedded }));
    expect(await stored(kind, { spec: { embedded: { apiVersion: 'v1', kind: 'Pod' } } })).toMatchObject({
      spec: { embedded: { apiVersion: 'v1', kind: 'Pod', spec: { a: 'x' } } },
    });
  });

  it('of another version than the stored one is not set', async () => {
    const versions = [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: spec({ a: text('one') }) } },
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: spec({ a: text('two'), b: text('more') }) },
      },
    ];
    const kind = await define({ type: 'object' }, { spec: { versions } });
    expect((await kind.create({ spec: {} })).body).toMatchObject({ spec: { a: 'one' } });
    await eventually(async () => {
      const { body } = await http('GET', `${kind.path.replace('/v1/', '/v2/')}/a`);
      expect(body).toMatchObject({ apiVersion: `${kind.group}/v2`, spec: { a: 'one' } });
      expect(body).not.toHaveProperty('spec.b');
    });
  });
});
