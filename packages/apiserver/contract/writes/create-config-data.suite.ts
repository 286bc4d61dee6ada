import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { answerOf, invalid, MERGE, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { within, make, patch, unique } = writeScene(harness);

const KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const dry = async (plural: string, body: object) =>
  await http('POST', `${within(plural)}?dryRun=All`, { body: { metadata: { name: 'x' }, ...body } });
const required = (...keys: string[]) =>
  keys.map((key) => ({ field: `data[${key}]`, reason: 'FieldValueRequired', message: 'Required value' }));

describe('a Secret', () => {
  it('is Opaque, and takes text that it shows encoded', async () => {
    const { body } = await dry('secrets', { data: { a: 'eA==', z: 'eg==' }, stringData: { a: 'b', u: 'ü' } });
    expect(body).toMatchObject({ type: 'Opaque' });
    expect((body as Body).data).toEqual({ a: 'Yg==', z: 'eg==', u: 'w7w=' });
    expect(body).not.toHaveProperty('stringData');
  });

  it('takes text with a patch, and a null as an empty one', async () => {
    const name = unique();
    await make(within('secrets'), { metadata: { name }, data: { a: 'eA==', b: 'eQ==' } });
    const path = `${within('secrets')}/${name}`;
    const { body } = await patch(MERGE, path, { stringData: { a: 'b' }, data: { b: null } });
    expect((body as Body).data).toEqual({ a: 'Yg==' });
    expect(((await dry('secrets', { stringData: { a: null } })).body as Body).data).toEqual({ a: '' });
  });

  it.each<[string, string[]]>([
    ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
    ['kubernetes.io/basic-auth', ['username', 'password']],
    ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
    ['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
  ])('of type %s has its keys', async (type, keys) => {
    expect(answerOf(await dry('secrets', { type }))).toEqual(invalid('Secret', '', 'x', required(...keys)));
  });

  it('of any other type has any', async () => {
    expect(await dry('secrets', { type: 'my.own/type' })).toMatchObject({ status: 201, body: { type: 'my.own/type' } });
  });

  it('has at most 1 MiB', async () => {
    expect(answerOf(await dry('secrets', { stringData: { a: 'x'.repeat(1024 * 1024 + 1) } }))).toEqual(
      invalid('Secret', '', 'x', [
        { field: 'data', reason: 'FieldValueTooLong', message: 'Too long: may not be more than 1048576 bytes' },
      ]),
    );
  });
});

describe('a ConfigMap', () => {
  it('has at most 1 MiB', async () => {
    expect(answerOf(await dry('configmaps', { data: { a: 'x'.repeat(1024 * 1024 + 1) } }))).toEqual(
      invalid('ConfigMap', '', 'x', [
        { field: '[]', reason: 'FieldValueTooLong', message: 'Too long: may not be more than 1048576 bytes' },
      ]),
    );
  });

  it('has a key in one of its maps', async () => {
    expect(answerOf(await dry('configmaps', { data: { a: 'x' }, binaryData: { a: 'YQ==' } }))).toEqual(
      invalid('ConfigMap', '', 'x', [
        {
          field: 'data[a]',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "a": duplicate of key present in binaryData',
        },
      ]),
    );
  });
});

describe.each([
  ['ConfigMap', 'configmaps', 'x'],
  ['Secret', 'secrets', 'eA=='],
])('a key of a %s', (kind, plural, value) => {
  it.each([
    ['a b', KEY],
    ['', KEY],
    ['..', "must not be '..'"],
    ['..a', "must not start with '..'"],
    ['k'.repeat(254), 'must be no more than 253 characters'],
  ])('is a name of a file: %j', async (key, rule) => {
    expect(answerOf(await dry(plural, { data: { [key]: value } }))).toEqual(
      invalid(kind, '', 'x', [
        {
          field: `data[${key}]`,
          reason: 'FieldValueInvalid',
          message: `Invalid value: ${JSON.stringify(key)}: ${rule}`,
        },
      ]),
    );
  });
});
