import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, object, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const KEYS = (...keys: string[]) => ({ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }); // prettier-ignore
const SCHEMA = spec({
  set: { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' },
  object_set: { type: 'array', items: { ...object({ a: INTEGER }), 'x-kubernetes-map-type': 'atomic' }, 'x-kubernetes-list-type': 'set' }, // prettier-ignore
  list_map: { ...KEYS('k'), items: object({ k: STRING, v: INTEGER }, { required: ['k'] }) },
  port_map: { ...KEYS('k', 'p'), items: object({ k: INTEGER, p: { type: 'string', default: 'TCP' } }, { required: ['k'] }) }, // prettier-ignore
  embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
});

let kind: CustomKind;
beforeAll(async () => {
  kind = await define(SCHEMA);
});

type Case = [label: string, fields: Record<string, unknown>, causes: string[]];
const check = async (_: string, fields: Record<string, unknown>, causes: string[]): Promise<void> => {
  expect(await kind.refusals({ spec: fields })).toEqual(causes);
};

describe('a list with equal items', () => {
  const cases: Case[] = [
    ['as a set', { set: ['a', 'b', 'a', 'a'] }, ['FieldValueDuplicate spec.set[2]: Duplicate value: "a"']],
    [
      'as a set of objects',
      { object_set: [{ a: 1 }, { a: 2 }, { a: 1 }] },
      ['FieldValueDuplicate spec.object_set[2]: Duplicate value: {"a":1}'],
    ],
    [
      'as a map',
      { list_map: [{ k: 'a' }, { k: 'b', v: 1 }, { k: 'a', v: 2 }, { k: 'b' }] },
      [
        'FieldValueDuplicate spec.list_map[2]: Duplicate value: {"k":"a"}',
        'FieldValueDuplicate spec.list_map[3]: Duplicate value: {"k":"b"}',
      ],
    ],
    [
      'as a map of two keys',
      { port_map: [{ k: 1 }, { k: 1, p: 'TCP' }] },
      ['FieldValueDuplicate spec.port_map[1]: Duplicate value: {"k":1,"p":"TCP"}'],
    ],
    ['as a map of two keys, which differ in one', { port_map: [{ k: 1 }, { k: 1, p: 'UDP' }] }, []],
    ['as a map, without a key', { list_map: [{ v: 1 }] }, ['FieldValueRequired spec.list_map[0].k: Required value']],
  ];
  it.each(cases)('%s', check);
});
