import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { needs } from '../../../../test/tools/index.ts';
import { definitionScene, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http, kubectl } = await cluster();
const { define, change } = definitionScene(http);

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

interface Table {
  columnDefinitions: { name: string; type: string; format: string; description: string; priority: number }[];
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
  html: '<a&b>',
  list: [1, 'a', { a: 1, z: 1 }],
  numbers: [5, 1, 9],
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

async function table(columns: object[] | undefined, last: string): Promise<Table> {
  const [version] = kind.definition.spec['versions'] as [object];
  const changed = await change(kind.definition, { versions: [{ ...version, additionalPrinterColumns: columns }] });
  expect(changed.status).toBe(200);
  return await eventually(async () => {
    const found = (await http('GET', `${kind.path}/a`, { accept: TABLE })).body as Table;
    expect(found.columnDefinitions.at(-1)?.name).toBe(last);
    return found;
  });
}

let turn = 0;

/** What each column shows. */
async function cells(columns: [type: string, path: string][]): Promise<unknown[]> {
  turn += 1;
  // Tells these columns from those before them.
  const nameOf = (index: number) => `c${turn}-${index}`;
  const last = nameOf(columns.length - 1);
  const { rows } = await table(
    columns.map(([type, path], index) => ({ name: nameOf(index), type, jsonPath: path })),
    last,
  );
  return rows[0]?.cells.slice(1) ?? [];
}

describe('columns', () => {
  it('are the name and the age where none are defined', async () => {
    const { columnDefinitions, rows } = await table(undefined, 'Age');
    expect(columnDefinitions).toEqual([
      { name: 'Name', type: 'string', format: 'name', description: expect.any(String) as string, priority: 0 },
      { name: 'Age', type: 'date', format: '', description: expect.any(String) as string, priority: 0 },
    ]);
    expect(rows[0]?.cells).toEqual(['a', expect.stringMatching(/^\d+s$/)]);
  });

  it('are the name and those that are defined', async () => {
    const { columnDefinitions } = await table(
      [
        { name: 'One', type: 'string', jsonPath: '.spec.s', description: 'Of one.' },
        { name: 'Two', type: 'integer', format: 'int32', jsonPath: '.spec.n', priority: 1 },
      ],
      'Two',
    );
    expect(columnDefinitions).toEqual([
      { name: 'Name', type: 'string', format: 'name', description: expect.any(String) as string, priority: 0 },
      { name: 'One', type: 'string', format: '', description: 'Of one.', priority: 0 },
      {
        name: 'Two',
        type: 'integer',
        format: 'int32',
        description: 'Custom resource definition column (in JSONPath format): .spec.n',
        priority: 1,
      },
    ]);
  });

  it('are shown by kubectl', needs('kubectl'), async () => {
    await table(
      [
        { name: 'One', type: 'string', jsonPath: '.spec.s' },
        { name: 'Wide', type: 'string', jsonPath: '.spec.n', priority: 1 },
      ],
      'Wide',
    );
    const plural = `${kind.definition.spec.names.plural}.${kind.group}`;
    expect((await kubectl(['get', plural])).stdout.split('\n')).toEqual(['NAME   ONE', 'a      x', '']);
    expect((await kubectl(['get', plural, '-o', 'wide'])).stdout.split('\n')).toEqual([
      'NAME   ONE   WIDE',
      'a      x     3',
      '',
    ]);
  });
});

describe('a cell', () => {
  const paths = [
    '.n',
    '.f',
    '.b',
    '.s',
    '.empty',
    '.none',
    '.past',
    '.html',
    '.list',
    '.map',
    '.missing',
    '.missing.x',
  ];
  const ofType = (type: string): [string, string][] => paths.map((path) => [type, `.spec${path}`]);

  it('of type string shows anything', async () => {
    expect(await cells(ofType('string'))).toEqual([
      '3',
      '1.5',
      'true',
      'x',
      '',
      '<no value>',
      '2020-01-01T00:00:00Z',
      '<a&b>',
      '[1,"a",{"a":1,"z":1}]',
      '{"a":[1,2],"z":1}',
      null,
      null,
    ]);
  });

  it('of another type shows what is of that type', async () => {
    const none = paths.map(() => null);
    expect(await cells(ofType('integer'))).toEqual(none.with(0, 3 as never).with(1, 1 as never));
    expect(await cells(ofType('number'))).toEqual(none.with(0, 3 as never).with(1, 1.5 as never));
    expect(await cells(ofType('boolean'))).toEqual(none.with(2, true as never));
  });

  it('of type date shows how long ago it was', async () => {
    const shown = await cells(
      ['.past', '.future', '.day', '.s', '.empty', '.n', '.none'].map((path) => ['date', `.spec${path}`]),
    );
    expect(shown).toEqual([
      expect.stringMatching(/^\dy\d+d$/),
      '<invalid>',
      '<invalid>',
      '<invalid>',
      '<unknown>',
      null,
      null,
    ]);
  });

  it.each<[string, unknown]>([
    ['.list[0]', '1'],
    ['.list[-1]', '{"a":1,"z":1}'],
    ['.list[9]', null],
    ['.list[-9]', null],
    ['.list[*]', '1'],
    ["['map']['a']", '[1,2]'],
    ['.map.a[1]', '2'],
    ['.dot\\.key/x', 'dk'],
    ['.conditions[?(@.type=="Ready")].status', 'True'],
    [".conditions[?(@.type=='Synced')].status", 'False'],
    ['.conditions[?(@.type == "Ready")].n', '1'],
    ['.conditions[?(@.type=="None")].n', null],
    ['.conditions[?(@.other)].n', '3'],
    ['.conditions[?(@.missing)].n', null],
    ['.conditions[?(@.type==Ready)].n', null],
    ['.conditions[*].type', 'Ready'],
    ['.numbers[?(@==9)]', '9'],
    ['.nothing[0]', null],
    ['.nothing[*]', null],
    ['.nothing', '[]'],
    ['.s.x', null],
    ['.s[0]', null],
    ['.none.x', null],
  ])('shows the first value at %s', async (path, expected) => {
    expect(await cells([['string', `.spec${path}`]])).toEqual([expected]);
  });
});
