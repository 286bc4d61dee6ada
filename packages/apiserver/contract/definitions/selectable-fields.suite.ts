import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { definitionScene, object, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';
import { BAD_REQUEST } from '../refusal.ts';

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
  const specs = {
    a: { text: 'x', integer: 1, boolean: true, nested: { deep: 'd' } },
    b: { text: 'y', integer: 10, boolean: false },
    c: {},
  };
  for (const [name, values] of Object.entries(specs))
    expect((await kind.create({ metadata: { name }, spec: values })).status).toBe(201);
});

const list = async (selector: string) =>
  await http('GET', `${kind.path}?fieldSelector=${encodeURIComponent(selector)}`);
const select = async (selector: string): Promise<string[]> =>
  ((await list(selector)).body as { items: { metadata: { name: string } }[] }).items.map(
    ({ metadata }) => metadata.name,
  );

describe('a field selector of a custom kind', () => {
  it.each([
    ['spec.text=x', ['a']],
    ['spec.text!=x', ['b', 'c']],
    ['spec.text=', ['c']],
    ['spec.text==y,spec.integer=10', ['b']],
    ['spec.integer=', ['c']],
    ['spec.boolean=false', ['b']],
    ['spec.nested.deep=', ['b', 'c']],
    ['spec.text=y,metadata.name=a', []],
  ])('%s selects %j', async (selector, names) => {
    expect(await select(selector)).toEqual(names);
  });

  it('with another field is refused', async () => {
    expect(await list('spec.other=x')).toMatchObject(BAD_REQUEST);
  });

  it('makes objects enter and leave a watch', async () => {
    const { metadata } = (await http('GET', kind.path)).body as { metadata: { resourceVersion: string } };
    const query = `watch=true&resourceVersion=${metadata.resourceVersion}&fieldSelector=spec.text%3Dz`;
    const events = watch(`${kind.path}?${query}`, { until: ({ length }) => length === 3 });
    const changes = [
      { spec: { text: 'w' } },
      { spec: { text: 'z' } },
      { metadata: { labels: { a: 'b' } } },
      { spec: null },
    ];
    for (const body of changes)
      await http('PATCH', `${kind.path}/c`, { body, contentType: 'application/merge-patch+json' });
    expect((await events).map(({ type, object: { metadata: { name } } }) => `${type} ${name}`)).toEqual(['ADDED c', 'MODIFIED c', 'DELETED c']); // prettier-ignore
  });

  it('applies to the deletion of a collection', async () => {
    expect((await http('DELETE', `${kind.path}?fieldSelector=spec.text%3Dnone`)).status).toBe(200);
    expect(await select('')).toEqual(['a', 'b', 'c']);
  });

  it('can use the fields that the definition has now', async () => {
    const [version] = kind.definition.spec['versions'] as [object];
    const versions = [{ ...version, selectableFields: [{ jsonPath: '.spec.text' }] }];
    expect((await change(kind.definition, { versions })).status).toBe(200);
    await eventually(async () => {
      expect(await list('spec.integer=1')).toMatchObject(BAD_REQUEST);
    });
    // kube-apiserver first fills a new cache.
    await eventually(async () => {
      expect(await select('spec.text=x')).toEqual(['a']);
    });
  });
});
