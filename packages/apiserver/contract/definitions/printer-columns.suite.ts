import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { needs } from '../../../../test/tools/index.ts';
import { definitionScene, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http, kubectl } = await cluster();
const { define, change } = definitionScene(http);

interface Table {
  columnDefinitions: { name: string }[];
  rows: { cells: unknown[] }[];
}

const fields = {
  n: 3,
  f: 1.5,
  b: true,
  s: 'x',
  empty: '',
  none: null,
  past: '2020-01-01T00:00:00Z',
  future: '2999-01-01T00:00:00Z',
  day: '2020-01-01',
  list: [1, 'a', { a: 'y', z: 1 }],
  map: { a: [1, 2], z: 1 },
  'dot.key/x': 'dk',
  conditions: [
    { type: 'Ready', status: 'True', n: 1 },
    { type: 'Synced', status: 'False', n: 2.5 },
    { other: 1, n: 3 },
  ],
  nothing: [],
};

let kind: CustomKind;
beforeAll(async () => {
  kind = await define({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  expect((await kind.create({ spec: fields })).status).toBe(201);
});

/** The table after a change of the columns, of which the last one has a new name. */
async function table(columns: object[] | undefined, last: string): Promise<Table> {
  const [version] = kind.definition.spec['versions'] as [object];
  const versions = [{ ...version, additionalPrinterColumns: columns }];
  expect((await change(kind.definition, { versions })).status).toBe(200);
  return await eventually(async () => {
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    const found = (await http('GET', `${kind.path}/a`, { accept })).body as Table;
    expect(found.columnDefinitions.at(-1)?.name).toBe(last);
    return found;
  });
}

let turn = 0;

/** The cells of one row with the given columns. */
async function cells(columns: [type: string, path: string][]): Promise<unknown[]> {
  turn += 1;
  const named = columns.map(([type, path], index) => ({ name: `c${turn}-${index}`, type, jsonPath: `.spec${path}` }));
  const { rows } = await table(named, `c${turn}-${columns.length - 1}`);
  return rows[0]?.cells.slice(1) ?? [];
}

describe('the columns of a custom resource', () => {
  const name = { name: 'Name', type: 'string', format: 'name', priority: 0 };

  it('are name and age by default', async () => {
    const { columnDefinitions, rows } = await table(undefined, 'Age');
    expect(columnDefinitions).toMatchObject([name, { name: 'Age', type: 'date', format: '', priority: 0 }]);
    expect(rows[0]?.cells).toEqual(['a', expect.stringMatching(/^\d+s$/)]);
  });

  it('are the name and the columns of the definition', needs('kubectl'), async () => {
    const one = { name: 'One', type: 'string', description: 'Of one.' };
    const two = { name: 'Two', type: 'integer', format: 'int32', priority: 1 };
    const all = [
      { ...one, jsonPath: '.spec.s' },
      { ...two, jsonPath: '.spec.n' },
    ];
    const { columnDefinitions } = await table(all, 'Two');
    expect(columnDefinitions).toMatchObject([name, { ...one, format: '', priority: 0 }, two]);
    const plural = `${kind.definition.spec.names.plural}.${kind.group}`;
    const lines = async (...args: string[]) => (await kubectl(['get', plural, ...args])).stdout.split('\n');
    expect(await lines()).toEqual(['NAME   ONE', 'a      x', '']);
    expect(await lines('-o', 'wide')).toEqual(['NAME   ONE   TWO', 'a      x     3', '']);
  });
});

describe('a cell', () => {
  const paths = ['.n', '.f', '.b', '.s', '.empty', '.none', '.past', '.list', '.map', '.missing', '.missing.x'];

  it.each<[string, unknown[]]>([
    [
      'string',
      ['3', '1.5', 'true', 'x', '', '<no value>', fields.past, '[1,"a",{"a":"y","z":1}]', '{"a":[1,2],"z":1}'],
    ],
    ['integer', [3, 1]],
    ['number', [3, 1.5]],
    ['boolean', [null, null, true]],
  ])('of type %s is empty if the value has another type', async (type, expected) => {
    const found = await cells(paths.map((path) => [type, path]));
    expect(found).toEqual(paths.map((_path, index) => expected[index] ?? null));
  });

  it('of type date is an age', async () => {
    const found = await cells(['.past', '.future', '.day', '.s', '.empty', '.n'].map((path) => ['date', path]));
    const age = expect.stringMatching(/^\dy\d+d$/) as unknown;
    expect(found).toEqual([age, '<invalid>', '<invalid>', '<invalid>', '<unknown>', null]);
  });

  it('is the first value of a JSONPath', async () => {
    const expected: [string, unknown][] = [
      ['.list[0]', '1'],
      ['.list[-1]', '{"a":"y","z":1}'],
      ['.list[*]', '1'],
      ["['map']['a']", '[1,2]'],
      ['.dot\\.key/x', 'dk'],
      ['.conditions[?(@.type=="Ready")].status', 'True'],
      ['.conditions[?(@.other)].n', '3'],
      ['.conditions[?(@.type==Ready)].n', null],
      ['.nothing', '[]'],
      ['.none.x', null],
    ];
    const found = await cells(expected.map(([path]) => ['string', path]));
    expect(expected.map(([path], index) => [path, found[index]])).toEqual(expected);
  });
});
