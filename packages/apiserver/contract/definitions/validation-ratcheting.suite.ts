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

const MERGE = 'application/merge-patch+json';
const LIST_MAP = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };

/** With bounds that what is stored already violates, once they are in force. */
function schema(strict: boolean): Record<string, unknown> {
  const of = (type: string, bound: object) => (strict ? { type, ...bound } : { type });
  const rule = (text: string, more: object = {}) =>
    strict ? { 'x-kubernetes-validations': [{ rule: text, message: text, ...more }] } : {};
  return spec({
    text: of('string', { maxLength: 3 }),
    other: { type: 'string' },
    choice: of('string', { enum: ['a', 'b'] }),
    list: { type: 'array', items: of('integer', { maximum: 3 }) },
    list_map: {
      ...LIST_MAP,
      items: object({ k: { type: 'string' }, v: of('integer', { maximum: 3 }) }, { required: ['k'] }),
    },
    map: { type: 'object', additionalProperties: of('integer', { maximum: 3 }) },
    nested: object({ v: of('integer', { maximum: 3 }), w: { type: 'integer' } }),
    required: object({ a: { type: 'string' }, b: { type: 'string' } }, strict ? { required: ['b'] } : {}),
    any: object({ a: { type: 'string' }, b: { type: 'string' } }, strict ? { anyOf: [{ required: ['b'] }] } : {}),
    number: { type: 'integer', ...rule('self < 3') },
    ruled: object({ a: { type: 'integer' }, b: { type: 'integer' } }, rule('!has(self.a) || self.a < 3')),
    items_ruled: {
      ...LIST_MAP,
      maxItems: 9,
      items: object({ k: { type: 'string' }, v: { type: 'integer', ...rule('self < 3') } }, { required: ['k'] }),
    },
    moving: { type: 'integer', ...rule('self >= oldSelf') },
  });
}

const STORED = {
  text: 'long',
  other: 'x',
  choice: 'z',
  list: [1, 9],
  list_map: [
    { k: 'a', v: 9 },
    { k: 'b', v: 1 },
  ],
  map: { a: 9, b: 1 },
  nested: { v: 9, w: 1 },
  required: { a: 'x' },
  any: { a: 'x' },
  number: 9,
  ruled: { a: 9, b: 1 },
  items_ruled: [{ k: 'a', v: 9 }],
  moving: 5,
};

let kind: CustomKind;
let path: string;
beforeAll(async () => {
  kind = await define(schema(false));
  path = `${kind.path}/a`;
  expect((await kind.create({ spec: STORED })).status).toBe(201);
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema(true) } }];
  expect((await change(kind.definition, { versions })).status).toBe(200);
  await eventually(async () => {
    expect((await kind.refusals({ metadata: { name: 'b' }, spec: STORED })).length).toBeGreaterThan(5);
  });
});

const patch = (fields: object): Promise<HttpAnswer> =>
  http('PATCH', `${path}?dryRun=All`, { body: { spec: fields }, contentType: MERGE });

const UNCHECKED =
  'FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
const ANY = `FieldValueInvalid <nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)`;
const TEXT = 'FieldValueTooLong spec.text: Too long: may not be more than 3 bytes';
const missing = (field: string): string => `FieldValueRequired ${field}: Required value`;
const choice = (value: string): string =>
  `FieldValueNotSupported spec.choice: Unsupported value: "${value}": supported values: "a", "b"`;
const above = (field: string): string =>
  `FieldValueInvalid ${field}: Invalid value: 9: ${field} in body should be less than or equal to 3`;

describe('a value that was invalid before an update', () => {
  it('is refused in a create', async () => {
    const refusals = await kind.refusals({ metadata: { name: 'b' }, spec: STORED });
    // kube-apiserver adds what is missing in the alternative of `any`.
    expect(refusals.filter((refusal) => !refusal.includes('spec.any.b'))).toEqual([
      ANY,
      UNCHECKED,
      above('spec.list[1]'),
      above('spec.list_map[0].v'),
      above('spec.map.a'),
      above('spec.nested.v'),
      choice('z'),
      missing('spec.required.b'),
      TEXT,
    ]);
  });

  it('is accepted unchanged', async () => {
    expect(causes(await patch({ other: 'y' }))).toEqual([]);
    const { body } = await http('GET', path);
    const put = await http('PUT', `${path}?dryRun=All`, { body: { ...(body as object), metadata: { ...(body as { metadata: object }).metadata, labels: { a: 'b' } } } }); // prettier-ignore
    expect(causes(put)).toEqual([]);
    const applied = await http('PATCH', `${path}?dryRun=All&fieldManager=m&force=true`, {
      body: kind.object({ spec: { other: 'z' } }),
      contentType: 'application/apply-patch+yaml',
    });
    expect(causes(applied)).toEqual([]);
  });

  type Case = [label: string, fields: Record<string, unknown>, causes: string[]];
  const cases: Case[] = [
    ['but not become something else that is invalid', { text: 'longer', choice: 'y' }, [UNCHECKED, choice('y'), TEXT]],
    [
      'beside items that change, in a list map',
      {
        list_map: [
          { k: 'b', v: 2 },
          { k: 'a', v: 9 },
        ],
      },
      [],
    ],
    ['but not under another key of a list map', { list_map: [{ k: 'c', v: 9 }] }, [above('spec.list_map[0].v')]],
    ['in a list without keys as long as the list stays', { list: [1, 9] }, []],
    ['but not in a list without keys that changes', { list: [1, 9, 2] }, [above('spec.list[1]')]],
    ['in a map', { map: { a: 9, b: 2 } }, []],
    ['but not under another key of a map', { map: { c: 9 } }, [above('spec.map.c')]],
    ['beside a field that changes', { nested: { v: 9, w: 2 } }, []],
    [
      'but not where what is required stays missing in what changes',
      { required: { a: 'y' } },
      [UNCHECKED, missing('spec.required.b')],
    ],
    ['for a rule', { number: 9 }, []],
    [
      'but not become something else that a rule forbids',
      { number: 8 },
      ['FieldValueInvalid spec.number: Invalid value: "integer": self < 3'],
    ],
    [
      'but not where the value that a rule is about changes',
      { ruled: { b: 2 } },
      ['FieldValueInvalid spec.ruled: Invalid value: "object": !has(self.a) || self.a < 3'],
    ],
    [
      'for a rule beside items that change',
      {
        items_ruled: [
          { k: 'b', v: 1 },
          { k: 'a', v: 9 },
        ],
      },
      [],
    ],
    [
      'but not for rules of transitions',
      { moving: 4 },
      ['FieldValueInvalid spec.moving: Invalid value: "integer": self >= oldSelf'],
    ],
    ['where a transition stays as it is', { moving: 5 }, []],
  ];
  it.each(cases)('%s', async (_, fields, expected) => {
    expect(causes(await patch(fields))).toEqual(expected);
  });

  it('but not where no alternative matches in what changes', async () => {
    expect(causes(await patch({ any: { a: 'y' } }))).toContain(ANY);
  });
});
