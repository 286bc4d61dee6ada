import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { definitionScene, object, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http, watch } = await cluster();
const { define, change } = definitionScene(http);

const STRING = { type: 'string' };
const FIELDS = ['.spec.text', '.spec.integer', '.spec.boolean', '.spec.nested.deep'];

let kind: CustomKind;
beforeAll(async () => {
  const fields = {
    text: STRING,
    integer: { type: 'integer' },
    boolean: { type: 'boolean' },
    nested: object({ deep: STRING }),
  };
  kind = await define(spec(fields), { version: { selectableFields: FIELDS.map((jsonPath) => ({ jsonPath })) } });
  const objects: [string, object][] = [
    ['a', { text: 'x', integer: 1, boolean: true, nested: { deep: 'd' } }],
    ['b', { text: 'y', integer: 10, boolean: false }],
    ['c', {}],
  ];
  for (const [name, fields] of objects)
    expect((await kind.create({ metadata: { name }, spec: fields })).status).toBe(201);
});

const select = async (selector: string): Promise<string[]> => {
  const { status, body } = await http('GET', `${kind.path}?fieldSelector=${encodeURIComponent(selector)}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
};

describe('a field selector', () => {
  it.each([
    ['spec.text=x', ['a']],
    ['spec.text!=x', ['b', 'c']],
    ['spec.text=', ['c']],
    ['spec.text==y,spec.integer=10', ['b']],
    ['spec.integer=1', ['a']],
    ['spec.integer=', ['c']],
    ['spec.boolean=true', ['a']],
    ['spec.boolean=false', ['b']],
    ['spec.nested.deep=d', ['a']],
    ['spec.nested.deep=', ['b', 'c']],
    ['metadata.name=b', ['b']],
    ['spec.text=y,metadata.name=a', []],
  ])('%s finds %j', async (selector, names) => {
    expect(await select(selector)).toEqual(names);
  });

  it('of another field is refused', async () => {
    expect(await http('GET', `${kind.path}?fieldSelector=spec.other%3Dx`)).toMatchObject({
      status: 400,
      body: { message: 'field label not supported: spec.other' },
    });
  });

  it('selects objects that enter and leave a watch', async () => {
    const { body } = await http('GET', kind.path);
    const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
    const events = watch(`${kind.path}?watch=true&resourceVersion=${resourceVersion}&fieldSelector=spec.text%3Dz`, {
      until: ({ length }) => length === 3,
    });
    const set = (text: string | null) =>
      http('PATCH', `${kind.path}/c`, { body: { spec: { text } }, contentType: 'application/merge-patch+json' });
    for (const text of ['w', 'z']) expect((await set(text)).status).toBe(200);
    const labelled = await http('PATCH', `${kind.path}/c`, {
      body: { metadata: { labels: { a: 'b' } } },
      contentType: 'application/merge-patch+json',
    });
    expect(labelled.status).toBe(200);
    expect((await set(null)).status).toBe(200);
    expect((await events).map(({ type, object: { metadata } }) => `${type} ${metadata.name}`)).toEqual([
      'ADDED c',
      'MODIFIED c',
      'DELETED c',
    ]);
  });

  it('applies to the deletion of collections', async () => {
    expect((await http('DELETE', `${kind.path}?fieldSelector=spec.text%3Dnone`)).status).toBe(200);
    expect(await select('')).toEqual(['a', 'b', 'c']);
  });

  it('works from the time when the definition lists its field', async () => {
    const [version] = kind.definition.spec['versions'] as [object];
    const selectableFields = [{ jsonPath: '.spec.text' }];
    expect((await change(kind.definition, { versions: [{ ...version, selectableFields }] })).status).toBe(200);
    await eventually(async () => {
      expect((await http('GET', `${kind.path}?fieldSelector=spec.integer%3D1`)).status).toBe(400);
    });
    // kube-apiserver fills the cache of the definition as it is now first.
    await eventually(async () => {
      expect(await select('spec.text=x')).toEqual(['a']);
    });
  });
});
