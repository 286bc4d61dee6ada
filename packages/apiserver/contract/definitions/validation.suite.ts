import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, type HttpAnswer } from '../../../../test/harness/index.ts';
import { causes, definitionScene, object, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';
import { INVALID } from '../refusal.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const PAIR = object({ x: STRING, y: STRING });
const mapOf = (items: object, ...keys: string[]) => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});

/** Each format with valid strings and invalid strings. */
const FORMATS: [format: string, valid: string[], invalid: string[]][] = [
  [
    'date-time',
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.123456789+02:00', '2020-01-01t00:00:00z'],
    ['2020-01-01', '2020-01-01 00:00:00', '2020-01-01T25:00:00Z', '2020-01-01T00:00:00', '2020-02-30T00:00:00Z', 'x'],
  ],
  ['datetime', ['2020-01-01T00:00:00Z'], ['2020-01-01']],
  ['date', ['2020-01-02'], ['2020-13-01', '20200102', '2020-01-02T00:00:00Z', '2020-02-30']],
  ['duration', ['1h', '1h30m', '1.5s', '1 day', '2w', '1d', '-1h', 'P1D', '1us', '1µs', '3 hours', '1 Day'], ['1', '']],
  ['ipv4', ['1.2.3.4'], ['::1', '1.2.3', '256.0.0.1', '']],
  ['ipv6', ['::1', 'fe80::1', '::ffff:1.2.3.4'], ['1.2.3.4', 'fe80::1%eth0', ':::']],
  ['cidr', ['10.0.0.0/8', '10.0.0.1/8', '::/0', '10.0.0.0/08'], ['10.0.0.0/33', '1.2.3.4']],
  [
    'mac',
    ['00:11:22:33:44:55', '00-11-22-33-44-55', '0011.2233.4455', '00:11:22:33:44:55:66:77'],
    ['00:11:22:33:44', 'GG:11:22:33:44:55', ''],
  ],
  ['byte', ['aGk=', 'YQ=='], ['aGk', '!', '', 'aGk=aGk=', 'a-b_']],
  ['uri', ['http://a.b/c', '/x', 'mailto:x'], ['a', 'http://[::1', 'a b', '://', '']],
  ['hostname', [], ['a.b', 'a_b', '-a', 'a.b.', '1.2.3.4', 'A.B', '']],
  ['email', ['a@b.c', 'A <a@b.c>', 'a@b'], ['a']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'], ['x']],
  ['unknown', ['?'], []],
];
const formats = Object.fromEntries(FORMATS.map(([format]) => [format, { type: 'string', format }]));

const FIELDS = {
  text: STRING,
  integer: INTEGER,
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  array: { type: 'array', items: STRING },
  map: { type: 'object', additionalProperties: INTEGER },
  choice: { type: 'string', enum: ['a', 'b'] },
  number_choice: { type: 'integer', enum: [1, 2] },
  pattern: { type: 'string', pattern: '^[a-z]+$' },
  length: { type: 'string', minLength: 2, maxLength: 3 },
  items: { type: 'array', items: INTEGER, minItems: 2, maxItems: 3 },
  entries: { type: 'object', additionalProperties: STRING, minProperties: 2, maxProperties: 3 },
  range: { type: 'integer', minimum: 2, maximum: 5 },
  open_range: { type: 'number', minimum: 2, maximum: 5, exclusiveMinimum: true, exclusiveMaximum: true },
  multiple: { type: 'number', multipleOf: 0.5 },
  int_or_string: { 'x-kubernetes-int-or-string': true, pattern: '^a', maxLength: 2, maximum: 5 },
  int32: { type: 'integer', format: 'int32' },
  nullable: { type: 'string', nullable: true },
  preserved: object({ x: INTEGER }, { 'x-kubernetes-preserve-unknown-fields': true }),
  anything: { 'x-kubernetes-preserve-unknown-fields': true },
  required: { ...PAIR, required: ['x', 'y'] },
  any: { ...PAIR, anyOf: [{ required: ['x'] }, { required: ['y'] }] },
  one: { ...PAIR, oneOf: [{ required: ['x'] }, { required: ['y'] }] },
  all: { type: 'string', allOf: [{ pattern: '^a' }, { maxLength: 3 }] },
  not: { type: 'string', not: { enum: ['x'] } },
  nested: object({ map: { type: 'object', additionalProperties: object({ v: { type: 'integer', maximum: 3 } }) } }),
  set: { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' },
  list_map: mapOf(object({ k: STRING, v: INTEGER }, { required: ['k'] }), 'k'),
  port_map: mapOf(object({ k: INTEGER, p: { type: 'string', default: 'TCP' } }, { required: ['k'] }), 'k', 'p'),
};

let kind: CustomKind;
beforeAll(async () => {
  const rules = { 'x-kubernetes-validations': [{ rule: "!has(self.text) || self.text != 'bad'" }] };
  const status = object({ n: { type: 'integer', maximum: 9 } });
  kind = await define(object({ spec: object({ ...FIELDS, ...formats }, rules), status }), {
    version: { subresources: { status: {} } },
  });
});
/** The fields for which the server refuses a spec, in alphabetical order. */
const refusedFields = async (spec: object): Promise<string[]> =>
  (await kind.refusals({ spec }))
    .filter((cause) => !cause.includes('some validation rules were not checked'))
    .map((cause) => cause.replace(/^\w+ ([^ ]+): .*$/s, '$1'));

describe('a value is accepted:', () => {
  it.each<[string, object]>([
    ['null for a string, which is removed', { text: null }],
    ['an integer for a number', { number: 1 }],
    ['null for a nullable string', { nullable: null }],
    ['anything for a field without a type', { anything: [1, 'a', null, {}] }],
    ['three characters for maxLength 3, also if they have more bytes', { length: 'äöü' }],
    ['a multiple of a fraction', { multiple: 1.5 }],
    ['more than 32 bits for int32', { int32: 2 ** 31 }],
    ['list items that differ in one of two keys', { port_map: [{ k: 1 }, { k: 1, p: 'UDP' }] }],
  ])('%s', async (_what, spec) => {
    expect(await refusedFields(spec)).toEqual([]);
  });
});

describe('a value is refused:', () => {
  // Errors of anyOf, oneOf, allOf and not do not name a field.
  it.each<[string, object, string[]]>([
    ['a number for a string', { text: 1 }, ['spec.text']],
    ['an object for a string', { text: {} }, ['spec.text']],
    ['a string for an integer', { integer: 'x' }, ['spec.integer']],
    ['a fraction for an integer', { integer: 1.5 }, ['spec.integer']],
    ['more than 64 bits for an integer', { integer: 1e20 }, ['spec.integer']],
    ['a string for a number', { number: 'x' }, ['spec.number']],
    ['a string for a boolean', { boolean: 'true' }, ['spec.boolean']],
    ['an object for a list', { array: {} }, ['spec.array']],
    ['items of another type', { array: ['x', 2, null] }, ['spec.array[1]', 'spec.array[2]']],
    ['a list for a map', { map: [] }, ['spec.map']],
    ['values of another type in a map', { map: { 'a.b/c': 'y', n: null } }, ['spec.map.a.b/c']],
    ['a fraction for int-or-string', { int_or_string: 1.5 }, ['spec.int_or_string']],
    ['a number for a nullable string', { nullable: 1 }, ['spec.nullable']],
    ['a list for an object with unknown fields', { preserved: [] }, ['spec.preserved']],
    ['a known field among unknown fields', { preserved: { x: 'a', y: 1 } }, ['spec.preserved.x']],
    ['a value that is not in enum', { choice: '', number_choice: 3 }, ['spec.choice', 'spec.number_choice']],
    ['a string that does not match pattern', { pattern: 'A' }, ['spec.pattern']],
    ['a string shorter than minLength', { length: 'a' }, ['spec.length']],
    ['a string longer than maxLength', { length: 'abcd' }, ['spec.length']],
    ['fewer items than minItems', { items: [1] }, ['spec.items']],
    ['more items than maxItems', { items: [1, 2, 3, 4] }, ['spec.items']],
    ['fewer keys than minProperties', { entries: { a: '' } }, ['spec.entries']],
    ['more keys than maxProperties', { entries: { a: '', b: '', c: '', d: '' } }, ['spec.entries']],
    ['a number below minimum', { range: 1 }, ['spec.range']],
    ['a number above maximum', { range: 6 }, ['spec.range']],
    ['the bound of exclusiveMinimum', { open_range: 2 }, ['spec.open_range']],
    ['the bound of exclusiveMaximum', { open_range: 5 }, ['spec.open_range']],
    ['a number that violates multipleOf', { multiple: 0.3 }, ['spec.multiple']],
    ['a string that violates int-or-string', { int_or_string: 'b' }, ['spec.int_or_string']],
    ['an integer that violates int-or-string', { int_or_string: 6 }, ['spec.int_or_string']],
    ['an absent required field', { required: { x: null, y: 'a' } }, ['spec.required.x']],
    ['two alternatives of oneOf', { one: { x: '', y: '' } }, ['<nil>']],
    ['a part of allOf', { all: 'bcd' }, ['<nil>', 'spec.all']],
    ['the schema of not', { not: 'x' }, ['<nil>']],
    ['a value in a nested map', { nested: { map: { 'a.b': { v: 9 } } } }, ['spec.nested.map.a.b.v']],
    ['equal members of a set', { set: ['a', 'b', 'a', 'a'] }, ['spec.set[2]']],
    ['equal keys in a list map', { list_map: [{ k: 'a' }, { k: 'b' }, { k: 'a', v: 2 }] }, ['spec.list_map[2]']],
    ['equal keys, one of them a default', { port_map: [{ k: 1 }, { k: 1, p: 'TCP' }] }, ['spec.port_map[1]']],
    ['an item without its key', { list_map: [{ v: 1 }] }, ['spec.list_map[0].k']],
  ])('%s', async (_what, spec, fields) => {
    expect(await refusedFields(spec)).toEqual(fields);
  });

  // kube-apiserver also lists the errors of the alternative that matches best.
  it.each([{ any: {} }, { one: {} }])('no alternative matches: %j', async (spec) => {
    expect(await refusedFields(spec)).toContain('<nil>');
  });

  it('several fields, with metadata first', async () => {
    const answer = await kind.create({ metadata: { name: 'A_', labels: { '-': '' } }, spec: { range: 0, set: [1] } });
    const { details } = answer.body as { details: { causes: { field: string }[] } };
    const fields = details.causes.map(({ field }) => field);
    expect(fields).toEqual(expect.arrayContaining(['metadata.name', 'metadata.labels', 'spec.range', 'spec.set[0]']));
    expect(fields[0]).toBe('metadata.name');
  });
});

it.each(FORMATS)('the format %s is enforced', async (format, valid, invalid) => {
  for (const text of valid) expect([text, await refusedFields({ [format]: text })]).toEqual([text, []]);
  for (const text of invalid)
    expect([text, await refusedFields({ [format]: text })]).toEqual([text, [`spec.${format}`]]);
});

describe('an invalid spec', () => {
  const spec = { text: 'bad' };
  let path = '';
  beforeAll(async () => {
    path = `${kind.path}/here`;
    expect((await kind.create({ metadata: { name: 'here' }, spec: { text: 'x' } })).status).toBe(201);
  });
  const apply = (name: string) =>
    http('PATCH', `${kind.path}/${name}?fieldManager=m&force=true`, {
      body: kind.object({ metadata: { name }, spec }),
      contentType: 'application/apply-patch+yaml',
    });
  const patch = (type: string, body: unknown) => http('PATCH', path, { body, contentType: `application/${type}` });

  it.each<[string, () => Promise<HttpAnswer>]>([
    ['a create', () => kind.create({ spec })],
    ['an update', async () => http('PUT', path, { body: { ...((await http('GET', path)).body as object), spec } })],
    ['a merge patch', () => patch('merge-patch+json', { spec })],
    ['a JSON patch', () => patch('json-patch+json', [{ op: 'replace', path: '/spec', value: spec }])],
    ['an apply', () => apply('here')],
    ['an apply that creates', () => apply('new')],
  ])('is refused in %s', async (_what, send) => {
    expect(await send()).toMatchObject(INVALID);
  });

  it('does not matter in a write of the status, and an invalid status only there', async () => {
    const write = async (n: number) =>
      await http('PATCH', `${path}/status`, {
        body: { status: { n }, spec },
        contentType: 'application/merge-patch+json',
      });
    expect(causes(await write(10))).toHaveLength(1);
    expect(await write(9)).toMatchObject({ status: 200, body: { spec: { text: 'x' }, status: { n: 9 } } });
    expect(await patch('merge-patch+json', { status: { n: 10 } })).toMatchObject({ body: { status: { n: 9 } } });
    const made = await kind.create({ metadata: { name: 'with-status' }, spec: {}, status: { n: 10 } });
    expect(made.status).toBe(201);
  });
});
