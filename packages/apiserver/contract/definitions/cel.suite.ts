import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import {
  causes,
  definitionScene,
  object,
  spec,
  type CustomKind,
} from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

const INTEGER = { type: 'integer' };
const SHORT = { type: 'string', maxLength: 30 };
const rules = (...list: object[]) => ({ 'x-kubernetes-validations': list });
const patch = async (kind: CustomKind, body: object, subresource = ''): Promise<string[]> =>
  shown(
    causes(
      await http('PATCH', `${kind.path}/a${subresource}?dryRun=All`, {
        body,
        contentType: 'application/merge-patch+json',
      }),
    ),
  );
/** Each cause as `field: message`, without the reason and the type of the value. */
const shown = (list: string[]): string[] =>
  list.map((cause) => cause.replace(/^\w+ (.*?): Invalid value: "\w+": /, '$1: ')).sort();
const refusals = async (kind: CustomKind, fields: Record<string, unknown>) => shown(await kind.refusals(fields));

describe('a violated rule', () => {
  it('is reported with its message or its text', async () => {
    const value = (rule: string, message?: string) => ({ ...INTEGER, ...rules({ rule, ...(message && { message }) }) });
    const kind = await define(spec({ a: value('  self > 3 '), b: value('self > 3\n&& self < 9', 'must be between') }));
    expect(await refusals(kind, { spec: { a: 1, b: 1 } })).toEqual([
      'spec.a: failed rule: self > 3',
      'spec.b: must be between',
    ]);
    expect(await refusals(kind, { spec: { a: 4, b: 4 } })).toEqual([]);
  });

  it.each<[string, string | undefined, string]>([
    ["self.n < 3 ? 'far below' : 'below'", undefined, 'far below'],
    ["self.t + ' is below 4'", 'unused', 'one is below 4'],
    ["self.s + ' is absent'", 'the message', 'the message'],
    ['self.s', undefined, 'failed rule: self.n > 3'],
    ["''", 'the message', 'the message'],
    ["'a\\nb'", 'the message', 'the message'],
  ])('is reported with messageExpression %j, or with message %j if it is unusable', async (...row) => {
    const [messageExpression, message, expected] = row;
    const rule = { rule: 'self.n > 3', messageExpression, ...(message && { message }) };
    const kind = await define(spec({ value: object({ n: INTEGER, s: SHORT, t: SHORT }, rules(rule)) }));
    expect(await refusals(kind, { spec: { value: { n: 1, t: 'one' } } })).toEqual([`spec.value: ${expected}`]);
  });

  it('is reported with its reason and fieldPath', async () => {
    const rule = (more: object) => ({ rule: '!has(self.a)', message: 'm', ...more });
    const map = { type: 'object', additionalProperties: INTEGER };
    const list = rules(
      rule({ reason: 'FieldValueInvalid', fieldPath: '.a' }),
      rule({ reason: 'FieldValueForbidden', fieldPath: '.b.c' }),
      rule({ reason: 'FieldValueRequired', fieldPath: ".m['x.y']" }),
      rule({ reason: 'FieldValueDuplicate' }),
    );
    const kind = await define(spec({ a: INTEGER, b: object({ c: INTEGER }), m: map }, list));
    const found = (await kind.refusals({ spec: { a: 1 } })).map((cause) => cause.replace(/: .*/, ''));
    expect(found).toEqual([
      'FieldValueDuplicate spec',
      'FieldValueForbidden spec.b.c',
      'FieldValueInvalid spec.a',
      'FieldValueRequired spec.m[x.y]',
    ]);
  });

  it('is reported at each level, item and map value', async () => {
    const odd = { ...INTEGER, ...rules({ rule: 'self % 2 == 1', message: 'odd' }) };
    const list = { type: 'array', items: odd, maxItems: 5, ...rules({ rule: 'size(self) < 4', message: 'long' }) };
    const map = { type: 'object', additionalProperties: odd, maxProperties: 5 };
    const rule = "self.metadata.name != 'bad' && self.kind != '' && self.apiVersion != ''";
    const fields = { list, map, nested: object({ deep: object({ n: odd }) }) };
    const kind = await define(object({ spec: object(fields) }, rules({ rule, message: 'root' })));
    const values = { list: [1, 2, 3, 4], map: { 'a.b': 2, c: 3 }, nested: { deep: { n: 0 } } };
    expect(await refusals(kind, { metadata: { name: 'bad' }, spec: values })).toEqual(
      [
        '<nil>: root',
        'spec.list: long',
        'spec.list[1]: odd',
        'spec.list[3]: odd',
        'spec.map[a.b]: odd',
        'spec.nested.deep.n: odd',
      ].sort(),
    );
  });
});

describe('a rule with oldSelf', () => {
  it('is evaluated in updates only, for values that existed before', async () => {
    const field = { ...INTEGER, ...rules({ rule: 'self >= oldSelf', message: 'must not fall' }) };
    const list = {
      type: 'array',
      maxItems: 3,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: object({ k: SHORT, n: field }, { required: ['k'] }),
    };
    const map = { type: 'object', additionalProperties: field, maxProperties: 3 };
    const kind = await define(spec({ field, list, map, gone: field }));
    const items = (...of: [string, number][]) => of.map(([k, n]) => ({ k, n }));
    const before = { field: 5, list: items(['a', 5], ['b', 5]), map: { x: 5 }, gone: 5 };
    expect((await kind.create({ spec: before })).status).toBe(201);
    const after = { field: 4, list: items(['b', 4], ['c', 1]), map: { x: 4, y: 1 }, gone: null };
    const fallen = ['spec.field', 'spec.list[0].n', 'spec.map[x]'].map((path) => `${path}: must not fall`);
    expect(await patch(kind, { spec: after })).toEqual(fallen);
    expect(await patch(kind, { spec: { field: 6, gone: null } })).toEqual([]);
  });

  it('of the status is evaluated in writes of the status, where rules of the spec are not', async () => {
    const status = object({ n: { ...INTEGER, ...rules({ rule: 'self > oldSelf', message: 'must rise' }) } });
    const never = object({ a: INTEGER }, rules({ rule: 'false', message: 'never' }));
    const kind = await define(object({ spec: never, status }), { version: { subresources: { status: {} } } });
    expect((await kind.create({})).status).toBe(201);
    const options = { body: { status: { n: 2 } }, contentType: 'application/merge-patch+json' };
    expect((await http('PATCH', `${kind.path}/a/status`, options)).status).toBe(200);
    expect(await patch(kind, { status: { n: 1 } }, '/status')).toEqual(['status.n: must rise']);
  });
});

describe('a rule can read', () => {
  const unknown = { 'x-kubernetes-preserve-unknown-fields': true };

  it('kind, apiVersion and metadata of embedded objects', async () => {
    const rule = { rule: "self.kind == 'Pod' && self.metadata.name.startsWith('p')", message: 'must be a pod' };
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, ...unknown, ...rules(rule) };
    const kind = await define(spec({ embedded }));
    const pod = (name: string) => ({ spec: { embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name } } } });
    expect(await refusals(kind, pod('x'))).toEqual(['spec.embedded: must be a pod']);
    expect(await refusals(kind, pod('p'))).toEqual([]);
  });

  it('absent fields only with has(); otherwise the rule is violated', async () => {
    const list = { type: 'array', items: SHORT, maxItems: 3 };
    const kind = await define(spec({ a: SHORT, b: list }, rules({ rule: 'self.b.exists(b, b == self.a)' })));
    expect(await refusals(kind, { spec: { a: 'y' } })).toEqual([expect.stringMatching(/^spec: .*no such key: b/i)]);
    expect(await refusals(kind, { spec: { a: 'y', b: ['y'] } })).toEqual([]);
  });
});
