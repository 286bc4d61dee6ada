import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually, type HttpAnswer } from '../../../../test/harness/index.ts';
import {
  causes,
  definitionScene,
  object,
  spec,
  type CustomKind,
} from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define, change } = definitionScene(http);

const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const LIST_MAP = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };

/** The schema; if strict, it has constraints that the stored object violates. */
function schema(strict: boolean): Record<string, unknown> {
  const of = (type: string, constraint: object) => (strict ? { type, ...constraint } : { type });
  const rule = (text: string) => (strict ? { 'x-kubernetes-validations': [{ rule: text }] } : {});
  const small = of('integer', { maximum: 3 });
  const item = (v: object) => object({ k: STRING, v }, { required: ['k'] });
  return spec({
    text: of('string', { maxLength: 3 }),
    other: STRING,
    choice: of('string', { enum: ['a', 'b'] }),
    list: { type: 'array', items: small },
    list_map: { ...LIST_MAP, items: item(small) },
    map: { type: 'object', additionalProperties: small },
    nested: object({ v: small, w: INTEGER }),
    required: object({ a: STRING, b: STRING }, strict ? { required: ['b'] } : {}),
    any: object({ a: STRING, b: STRING }, strict ? { anyOf: [{ required: ['b'] }] } : {}),
    number: { ...INTEGER, ...rule('self < 3') },
    ruled: object({ a: INTEGER, b: INTEGER }, rule('!has(self.a) || self.a < 3')),
    items_ruled: { ...LIST_MAP, maxItems: 9, items: item({ ...INTEGER, ...rule('self < 3') }) },
    moving: { ...INTEGER, ...rule('self >= oldSelf') },
  });
}

const items = (...of: [string, number][]) => of.map(([k, v]) => ({ k, v }));
const STORED = {
  text: 'long',
  other: 'x',
  choice: 'z',
  list: [1, 9],
  list_map: items(['a', 9], ['b', 1]),
  map: { a: 9, b: 1 },
  nested: { v: 9, w: 1 },
  required: { a: 'x' },
  any: { a: 'x' },
  number: 9,
  ruled: { a: 9, b: 1 },
  items_ruled: items(['a', 9]),
  moving: 5,
};

let kind: CustomKind;
let path: string;
const fieldsOf = (list: string[]) => new Set(list.map((cause) => cause.replace(/^\w+ ([^ ]+): .*$/s, '$1')));
const refusedInCreate = async () => fieldsOf(await kind.refusals({ metadata: { name: 'b' }, spec: STORED }));
beforeAll(async () => {
  kind = await define(schema(false));
  path = `${kind.path}/a`;
  expect((await kind.create({ spec: STORED })).status).toBe(201);
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema(true) } }];
  expect((await change(kind.definition, { versions })).status).toBe(200);
  await eventually(async () => {
    expect((await refusedInCreate()).size).toBeGreaterThan(5);
  });
});

const patch = (fields: object): Promise<HttpAnswer> =>
  http('PATCH', `${path}?dryRun=All`, { body: { spec: fields }, contentType: 'application/merge-patch+json' });

describe('a value that violates a newer schema', () => {
  it('is refused in a create', async () => {
    const paths = ['choice', 'list[1]', 'list_map[0].v', 'map.a', 'nested.v', 'required.b', 'text'];
    const found = await refusedInCreate();
    for (const field of paths) expect(found).toContain(`spec.${field}`);
  });

  it('is accepted without a change in a patch, a PUT and an apply', async () => {
    expect(causes(await patch({ other: 'y' }))).toEqual([]);
    const { metadata, ...rest } = (await http('GET', path)).body as { metadata: object };
    const body = { ...rest, metadata: { ...metadata, labels: { a: 'b' } } };
    expect(causes(await http('PUT', `${path}?dryRun=All`, { body }))).toEqual([]);
    const applied = await http('PATCH', `${path}?dryRun=All&fieldManager=m&force=true`, {
      body: kind.object({ spec: { other: 'z' } }),
      contentType: 'application/apply-patch+yaml',
    });
    expect(causes(applied)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['beside changed items of a list map', { list_map: items(['b', 2], ['a', 9]) }],
    ['in an unchanged list', { list: [1, 9] }],
    ['in a map', { map: { a: 9, b: 2 } }],
    ['beside a changed field', { nested: { v: 9, w: 2 } }],
    ['of a rule', { number: 9 }],
    ['of a rule beside changed items', { items_ruled: items(['b', 1], ['a', 9]) }],
    ['of a rule with oldSelf that is met', { moving: 5 }],
  ])('is accepted in an update %s', async (_what, fields) => {
    expect(causes(await patch(fields))).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['with another invalid value', { choice: 'y' }, 'spec.choice'],
    ['under another key of a list map', { list_map: items(['c', 9]) }, 'spec.list_map[0].v'],
    ['in a changed list without keys', { list: [1, 9, 2] }, 'spec.list[1]'],
    ['under another key of a map', { map: { c: 9 } }, 'spec.map.c'],
    ['if a changed object lacks a required field', { required: { a: 'y' } }, 'spec.required.b'],
    ['with another value that violates a rule', { number: 8 }, 'spec.number'],
    ['if a changed object violates a rule', { ruled: { b: 2 } }, 'spec.ruled'],
    ['that violates a rule with oldSelf', { moving: 4 }, 'spec.moving'],
    ['if no alternative matches a changed object', { any: { a: 'y' } }, '<nil>'],
  ])('is refused in an update %s', async (_what, fields, field) => {
    expect(fieldsOf(causes(await patch(fields)))).toContain(field);
  });
});
