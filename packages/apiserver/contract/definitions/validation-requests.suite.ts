import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, type HttpAnswer } from '../../../../test/harness/index.ts';
import { causes, definitionScene, object, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

const MERGE = 'application/merge-patch+json';
const PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';

let kind: CustomKind;
let path: string;
beforeAll(async () => {
  const fields = {
    a: { type: 'string', maxLength: 3 },
    b: { type: 'integer', minimum: 1 },
    list: {
      type: 'array',
      items: object({ k: { type: 'string' } }, { required: ['k'] }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
  };
  const rules = [{ rule: "!has(self.a) || self.a != 'bad'", message: 'must be good' }];
  kind = await define(
    object({
      spec: object(fields, { 'x-kubernetes-validations': rules }),
      status: object({ n: { type: 'integer', maximum: 9 } }),
    }),
    { version: { subresources: { status: {} } } },
  );
  path = `${kind.path}/here`;
  const made = await kind.create({ metadata: { name: 'here' }, spec: { a: 'x', b: 2 } });
  expect(made.status).toBe(201);
});

const A = 'FieldValueTooLong spec.a: Too long: may not be more than 3 bytes';
const B = 'FieldValueInvalid spec.b: Invalid value: 0: spec.b in body should be greater than or equal to 1';
const UNCHECKED =
  'FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
const invalid = { a: 'long', b: 0 };

describe('an invalid object', () => {
  it('is refused with a Status with its name, its kind and the errors', async () => {
    const answer = await kind.create({ metadata: { name: 'new' }, spec: { b: 0 } });
    const problem = 'Invalid value: 0: spec.b in body should be greater than or equal to 1';
    expect(answer).toMatchObject({
      status: 422,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `${kind.kind}.${kind.group} "new" is invalid: spec.b: ${problem}`,
        reason: 'Invalid',
        details: {
          name: 'new',
          group: kind.group,
          kind: kind.kind,
          causes: [{ reason: 'FieldValueInvalid', message: problem, field: 'spec.b' }],
        },
        code: 422,
      },
    });
  });

  it('is refused with all errors, in the order of the checks', async () => {
    const list = [{ k: 'a' }, { k: 'a' }];
    const answer = await kind.create({ metadata: { name: 'A_', labels: { '-': '' } }, spec: { b: 0, list } });
    const { message, details } = answer.body as { message: string; details: { causes: { field: string }[] } };
    expect(details.causes.map(({ field }) => field)).toEqual([
      'metadata.name',
      'metadata.labels',
      'spec.b',
      'spec.list[1]',
    ]);
    expect(message).toMatch(
      /^X[\dA-F]+\.\S+ "A_" is invalid: \[metadata\.name: Invalid value: "A_": .*, spec\.list\[1\]: Duplicate value: {"k":"a"}\]$/,
    );
  });

  it('is refused without errors of rules where they could not be evaluated', async () => {
    expect(await kind.refusals({ spec: { a: 'bad', b: 0 } })).toEqual([
      B,
      'FieldValueInvalid spec: Invalid value: "object": must be good',
    ]);
    expect(await kind.refusals({ spec: { a: 'bad', b: 'x' } })).toEqual([
      UNCHECKED,
      'FieldValueTypeInvalid spec.b: Invalid value: "string": spec.b in body must be of type integer: "string"',
    ]);
  });
});

describe('is refused with the same causes', () => {
  const body = async (spec: object): Promise<object> => ({ ...((await http('GET', path)).body as object), spec });
  const ways: [string, () => Promise<HttpAnswer>][] = [
    ['a create', () => kind.create({ spec: invalid })],
    ['an update', async () => http('PUT', path, { body: await body(invalid) })],
    ['a merge patch', () => http('PATCH', path, { body: { spec: invalid }, contentType: MERGE })],
    [
      'a JSON patch',
      () => http('PATCH', path, { body: [{ op: 'replace', path: '/spec', value: invalid }], contentType: PATCH }),
    ],
    [
      'an apply',
      () => http('PATCH', `${path}?fieldManager=m&force=true`, { body: kind.object({ metadata: { name: 'here' }, spec: invalid }), contentType: APPLY }), // prettier-ignore
    ],
    [
      'an apply that would create',
      () => http('PATCH', `${kind.path}/new?fieldManager=m`, { body: kind.object({ metadata: { name: 'new' }, spec: invalid }), contentType: APPLY }), // prettier-ignore
    ],
  ];
  it.each(ways)('%s', async (_, send) => {
    expect(causes(await send())).toEqual([UNCHECKED, B, A]);
  });
});

describe('a status', () => {
  it('is validated alone, and messages name paths below it', async () => {
    const answer = await http('PATCH', `${path}/status`, {
      body: { status: { n: 10 }, spec: invalid },
      contentType: MERGE,
    });
    expect(causes(answer)).toEqual([
      'FieldValueInvalid status.n: Invalid value: 10: n in body should be less than or equal to 9',
    ]);
    const changed = await http('PATCH', `${path}/status`, {
      body: { status: { n: 9 }, spec: invalid },
      contentType: MERGE,
    });
    expect(changed).toMatchObject({ status: 200, body: { spec: { a: 'x', b: 2 }, status: { n: 9 } } });
  });

  it('in a create is dropped, and not validated', async () => {
    const made = await kind.create({ metadata: { name: 'with-status' }, spec: {}, status: { n: 10 } });
    expect(made.status).toBe(201);
    expect(made.body).not.toHaveProperty('status');
  });

  it('in an update is left as it was', async () => {
    const { body } = await http('GET', path);
    const answer = await http('PUT', path, { body: { ...(body as object), status: { n: 10 } } });
    expect(answer).toMatchObject({ status: 200, body: { status: { n: 9 } } });
  });
});
