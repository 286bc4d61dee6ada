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

describe('an embedded object', () => {
  const cases: Case[] = [
    [
      'without kind and apiVersion',
      { embedded: {} },
      [
        'FieldValueRequired spec.embedded.apiVersion: Required value',
        'FieldValueRequired spec.embedded.kind: Required value',
      ],
    ],
    ['without a kind', { embedded: { apiVersion: 'v1' } }, ['FieldValueRequired spec.embedded.kind: Required value']],
    [
      'with a kind and apiVersion that are none',
      { embedded: { apiVersion: 'a/b/c', kind: 'p od' } },
      [
        'FieldValueInvalid spec.embedded.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        `FieldValueInvalid spec.embedded.kind: Invalid value: "p od": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'with a name that is none',
      { embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a/b', namespace: 'N' } } },
      [
        `FieldValueInvalid spec.embedded.metadata.name: Invalid value: "a/b": may not contain '/'`,
        `FieldValueInvalid spec.embedded.metadata.namespace: Invalid value: "N": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'with labels and annotations that are none',
      { embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { '-x': '-' }, annotations: { 'a b': 'x' } } } },
      [
        `FieldValueInvalid spec.embedded.metadata.annotations: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `FieldValueInvalid spec.embedded.metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
        `FieldValueInvalid spec.embedded.metadata.labels: Invalid value: "-x": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
    ],
    [
      'with owners that are none',
      { embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { ownerReferences: [{}] } } },
      [
        'FieldValueInvalid spec.embedded.metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'FieldValueInvalid spec.embedded.metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'FieldValueInvalid spec.embedded.metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'FieldValueInvalid spec.embedded.metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      'of any kind',
      { embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'ok', finalizers: ['x'] }, spec: { a: 1 } } },
      [],
    ],
  ];
  it.each(cases)('%s', check);

  it.each([
    ['a kind that is no text', { kind: 1 }, 'spec.embedded.kind: Invalid value: 1: must be a string'],
    [
      'metadata that is no object',
      { metadata: 'x' },
      'spec.embedded.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    ],
    [
      'labels that are no texts',
      { metadata: { labels: { x: 1 } } },
      'spec.embedded.metadata: Invalid value: {"labels":{"x":1}}: ',
    ],
  ])('is refused at once with %s', async (_, fields, problem) => {
    const answer = await kind.create({ spec: { embedded: { apiVersion: 'v1', kind: 'Pod', ...fields } } });
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    expect((answer.body as { message: string }).message).toContain(problem);
  });
});
