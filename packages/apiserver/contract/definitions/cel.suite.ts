import { describe, expect, it } from 'vitest';
import { cluster, type HttpAnswer } from '../../../../test/harness/index.ts';
import {
  causes,
  definitionScene,
  object,
  spec,
  type CustomKind,
} from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

const MERGE = 'application/merge-patch+json';
const INTEGER = { type: 'integer' };
const short = { type: 'string', maxLength: 30 };
const rules = (...list: object[]) => ({ 'x-kubernetes-validations': list });

const patch = (kind: CustomKind, fields: object, subresource = ''): Promise<HttpAnswer> =>
  http('PATCH', `${kind.path}/a${subresource}?dryRun=All`, { body: fields, contentType: MERGE });

describe('a broken rule', () => {
  it('is reported with its message, or with its text', async () => {
    const kind = await define(
      spec({
        a: { ...INTEGER, ...rules({ rule: 'self > 3' }) },
        b: { ...INTEGER, ...rules({ rule: 'self > 3', message: 'must be above 3' }) },
        c: { ...INTEGER, ...rules({ rule: 'self > 3\n&& self < 9', message: 'must be between' }) },
        d: { ...INTEGER, ...rules({ rule: '  self > 3 ' }) },
      }),
    );
    expect(await kind.refusals({ spec: { a: 1, b: 1, c: 1, d: 1 } })).toEqual([
      'FieldValueInvalid spec.a: Invalid value: "integer": failed rule: self > 3',
      'FieldValueInvalid spec.b: Invalid value: "integer": must be above 3',
      'FieldValueInvalid spec.c: Invalid value: "integer": must be between',
      'FieldValueInvalid spec.d: Invalid value: "integer": failed rule: self > 3',
    ]);
    expect(await kind.refusals({ spec: { a: 4, b: 4, c: 4, d: 4 } })).toEqual([]);
  });

  it('is reported with the result of its message expression, and with its message where that fails', async () => {
    const expression = (messageExpression: string, message?: string) => ({
      rule: 'self.n > 3',
      messageExpression,
      ...(message === undefined ? {} : { message }),
    });
    const value = object(
      { n: INTEGER, s: short, t: short },
      rules(
        expression("self.n < 3 ? 'far below' : 'below'"),
        expression("self.t + ' is below 4'", 'unused'),
        expression("self.s + ' is not there'", 'the message instead'),
        expression('self.s'),
        expression("''", 'instead of nothing'),
        expression("'a\\nb'", 'instead of two lines'),
      ),
    );
    const kind = await define(spec({ value }));
    expect(await kind.refusals({ spec: { value: { n: 1, t: 'one' } } })).toEqual(
      [
        'far below',
        'one is below 4',
        'the message instead',
        'failed rule: self.n > 3',
        'instead of nothing',
        'instead of two lines',
      ]
        .map((message) => `FieldValueInvalid spec.value: Invalid value: "object": ${message}`)
        .sort(),
    );
  });

  it('is reported with its reason and its field path', async () => {
    const rule = (more: object) => ({ rule: '!has(self.a)', message: 'm', ...more });
    const kind = await define(
      object({
        spec: object(
          { a: INTEGER, b: object({ c: INTEGER }), m: { type: 'object', additionalProperties: INTEGER } },
          rules(
            rule({ reason: 'FieldValueInvalid', fieldPath: '.a' }),
            rule({ reason: 'FieldValueForbidden', fieldPath: '.b.c' }),
            rule({ reason: 'FieldValueRequired', fieldPath: ".m['x.y']" }),
            rule({ reason: 'FieldValueDuplicate' }),
          ),
        ),
      }),
    );
    expect(await kind.refusals({ spec: { a: 1 } })).toEqual([
      'FieldValueDuplicate spec: Duplicate value: "object"',
      'FieldValueForbidden spec.b.c: Forbidden: m',
      'FieldValueInvalid spec.a: Invalid value: "object": m',
      'FieldValueRequired spec.m[x.y]: Required value: m',
    ]);
  });

  it('is reported for every level, item and map value', async () => {
    const odd = { ...INTEGER, ...rules({ rule: 'self % 2 == 1', message: 'must be odd' }) };
    const kind = await define(
      object(
        {
          spec: object({
            list: { type: 'array', items: odd, maxItems: 5, ...rules({ rule: 'size(self) < 4', message: 'too many' }) },
            map: { type: 'object', additionalProperties: odd, maxProperties: 5 },
            nested: object({ deep: object({ n: odd }) }),
          }),
        },
        rules({
          rule: "self.metadata.name != 'bad' && self.kind != '' && self.apiVersion != ''",
          message: 'at the root',
        }),
      ),
    );
    const fields = { list: [1, 2, 3, 4], map: { 'a.b': 2, c: 3 }, nested: { deep: { n: 0 } } };
    expect(await kind.refusals({ metadata: { name: 'bad' }, spec: fields })).toEqual([
      'FieldValueInvalid <nil>: Invalid value: "object": at the root',
      'FieldValueInvalid spec.list: Invalid value: "array": too many',
      'FieldValueInvalid spec.list[1]: Invalid value: "integer": must be odd',
      'FieldValueInvalid spec.list[3]: Invalid value: "integer": must be odd',
      'FieldValueInvalid spec.map[a.b]: Invalid value: "integer": must be odd',
      'FieldValueInvalid spec.nested.deep.n: Invalid value: "integer": must be odd',
    ]);
  });

  it('is not evaluated where its value is absent', async () => {
    const kind = await define(
      spec({
        a: { ...INTEGER, ...rules({ rule: 'false' }) },
        b: { ...short, nullable: true, ...rules({ rule: 'false' }) },
      }),
    );
    expect(await kind.refusals({ spec: {} })).toEqual([]);
    expect(await kind.refusals({ spec: { b: null } })).toEqual([]);
  });
});

describe('a rule about the old value', () => {
  it('is evaluated in updates only', async () => {
    const field = { ...INTEGER, ...rules({ rule: 'self >= oldSelf', message: 'must not fall' }) };
    const list = {
      type: 'array',
      maxItems: 3,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: object({ k: short, n: field }, { required: ['k'] }),
    };
    const map = { type: 'object', additionalProperties: field, maxProperties: 3 };
    const kind = await define(spec({ field, list, map, gone: field }));
    const before = { field: 5, list: [{ k: 'a', n: 5 }, { k: 'b', n: 5 }], map: { x: 5 }, gone: 5 }; // prettier-ignore
    expect((await kind.create({ spec: before })).status).toBe(201);
    const after = { field: 4, list: [{ k: 'b', n: 4 }, { k: 'c', n: 1 }], map: { x: 4, y: 1 }, gone: null }; // prettier-ignore
    expect(causes(await patch(kind, { spec: after }))).toEqual([
      'FieldValueInvalid spec.field: Invalid value: "integer": must not fall',
      'FieldValueInvalid spec.list[0].n: Invalid value: "integer": must not fall',
      'FieldValueInvalid spec.map[x]: Invalid value: "integer": must not fall',
    ]);
    expect(causes(await patch(kind, { spec: { field: 6, gone: null } }))).toEqual([]);
  });

  it('keeps a field from being set or removed', async () => {
    const kind = await define(
      spec({ a: { ...INTEGER, ...rules({ rule: 'self == oldSelf', message: 'field is immutable' }) } }, rules({ rule: 'has(self.a) == has(oldSelf.a)', message: 'a is immutable' })), // prettier-ignore
    );
    expect((await kind.create({ spec: { a: 1 } })).status).toBe(201);
    expect(causes(await patch(kind, { spec: { a: null } }))).toEqual([
      'FieldValueInvalid spec: Invalid value: "object": a is immutable',
    ]);
    expect(causes(await patch(kind, { spec: { a: 2 } }))).toEqual([
      'FieldValueInvalid spec.a: Invalid value: "integer": field is immutable',
    ]);
  });

  it('of a status is evaluated when the status is written', async () => {
    const kind = await define(
      object({
        spec: object({ a: INTEGER }, rules({ rule: 'false', message: 'never for a status' })),
        status: object({ n: { ...INTEGER, ...rules({ rule: 'self > oldSelf', message: 'must rise' }) } }),
      }),
      { version: { subresources: { status: {} } } },
    );
    expect((await kind.create({})).status).toBe(201);
    expect(
      (await http('PATCH', `${kind.path}/a/status`, { body: { status: { n: 2 } }, contentType: MERGE })).status,
    ).toBe(200);
    expect(causes(await patch(kind, { status: { n: 1 } }, '/status'))).toEqual([
      'FieldValueInvalid status.n: Invalid value: "integer": must rise',
    ]);
  });
});

describe('rules evaluate', () => {
  it('embedded objects', async () => {
    const embedded = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      ...rules({ rule: "self.kind == 'Pod' && self.metadata.name.startsWith('p')", message: 'must be a pod' }),
    };
    const kind = await define(spec({ embedded }));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } };
    expect(await kind.refusals({ spec: { embedded: pod } })).toEqual([
      'FieldValueInvalid spec.embedded: Invalid value: "object": must be a pod',
    ]);
    expect(await kind.refusals({ spec: { embedded: { ...pod, metadata: { name: 'p' } } } })).toEqual([]);
  });

  it('objects with fields without a schema', async () => {
    const kind = await define(
      spec({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { n: INTEGER }, ...rules({ rule: 'self.n == 1' }) } }), // prettier-ignore
    );
    expect(await kind.refusals({ spec: { a: { n: 1, other: 2 } } })).toEqual([]);
  });

  it('fields that are absent as errors', async () => {
    const kind = await define(spec({ a: short, b: { type: 'array', items: short, maxItems: 3 } }, rules({ rule: "self.a == 'x' || self.b.exists(b, b == self.a)" }))); // prettier-ignore
    const [refusal = ''] = await kind.refusals({ spec: { a: 'y' } });
    expect(refusal).toMatch(/^FieldValueInvalid spec: Invalid value: "object": no such key: b evaluating rule: /i);
    expect(await kind.refusals({ spec: { a: 'y', b: ['y'] } })).toEqual([]);
  });
});
