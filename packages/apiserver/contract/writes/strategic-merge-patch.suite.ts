import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, INVALID, NOT_FOUND, refused } from '../refusal.ts';
import { STRATEGIC, warningTexts, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { widgets, within, make, patch } = writeScene(harness);

const CONTAINERS = [
  {
    name: 'a',
    image: 'one',
    command: ['x', 'y'],
    env: [
      { name: 'X', value: '1' },
      { name: 'Y', value: '2' },
    ],
    ports: [
      { containerPort: 80, protocol: 'TCP' },
      { containerPort: 81, protocol: 'TCP' },
    ],
  },
  { name: 'c', image: 'two' },
];

/** The patches are dry runs, so each applies to the Deployment as it was created. */
const path = () => `${within('deployments', 'apps')}/d?dryRun=All`;
beforeAll(async () => {
  await make(within('deployments', 'apps'), {
    metadata: { name: 'd', finalizers: ['test.io/c', 'test.io/d'] },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          containers: CONTAINERS,
          nodeSelector: { n: 'm' },
          tolerations: [{ key: 'a', operator: 'Exists' }],
          volumes: [
            { name: 'v', emptyDir: {} },
            { name: 'w', configMap: { name: 'q' } },
          ],
        },
      },
    },
  });
});
const send = async (body: unknown) => await patch(STRATEGIC, path(), body);
/** The pod spec after a patch of it. */
const podSpec = async (spec: unknown): Promise<Record<string, unknown>> => {
  const { status, body } = await send({ spec: { template: { spec } } });
  expect({ status, message: (body as Body)['message'] }).toEqual({ status: 200, message: undefined });
  return (body as { spec: { template: { spec: Record<string, unknown> } } }).spec.template.spec;
};
const named = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);

describe('a strategic merge patch merges lists by key:', () => {
  it('an existing item', async () => {
    const { containers } = await podSpec({ containers: [{ name: 'a', image: 'new', command: ['z'] }] });
    expect(containers).toMatchObject([{ ...CONTAINERS[0], image: 'new', command: ['z'] }, CONTAINERS[1] ?? {}]);
  });

  it('a new item, which becomes the first', async () => {
    const { containers } = await podSpec({ containers: [{ name: 'n', image: 'n' }] });
    expect(named(containers)).toEqual(['n', 'a', 'c']);
  });

  it('items of an item', async () => {
    const env = [
      { name: 'Y', value: '9' },
      { name: 'Z', value: '3' },
    ];
    const { containers } = await podSpec({ containers: [{ name: 'a', env }] });
    expect(containers).toMatchObject([
      {
        image: 'one',
        env: [
          { name: 'X', value: '1' },
          { name: 'Y', value: '9' },
          { name: 'Z', value: '3' },
        ],
      },
      {},
    ]);
  });

  it('items with a number as key', async () => {
    const { containers } = await podSpec({ containers: [{ name: 'a', ports: [{ containerPort: 81, name: 'w' }] }] });
    expect(containers).toMatchObject([
      { ports: [{ containerPort: 80 }, { containerPort: 81, name: 'w', protocol: 'TCP' }] },
      {},
    ]);
  });

  it('but replaces a list without a key', async () => {
    const tolerations = [{ key: 'b', operator: 'Exists' }];
    expect((await podSpec({ tolerations }))['tolerations']).toEqual(tolerations);
  });
});

describe('a strategic merge patch removes', () => {
  it('an item by $patch: delete, if it exists', async () => {
    expect(named((await podSpec({ containers: [{ name: 'c', $patch: 'delete' }] }))['containers'])).toEqual(['a']);
    expect(named((await podSpec({ containers: [{ name: 'z', $patch: 'delete' }] }))['containers'])).toEqual(['a', 'c']);
  });

  it('all other items by $patch: replace', async () => {
    const containers = [{ $patch: 'replace' }, { name: 'only', image: 'o' }];
    expect(named((await podSpec({ containers }))['containers'])).toEqual(['only']);
    expect((await podSpec({ nodeSelector: { $patch: 'replace', k: 'v' } }))['nodeSelector']).toEqual({ k: 'v' });
  });

  it('a map by $patch: delete', async () => {
    expect(await podSpec({ nodeSelector: { $patch: 'delete' } })).not.toHaveProperty('nodeSelector');
  });

  it('a field that is null', async () => {
    const spec = await podSpec({ nodeSelector: { n: null }, volumes: null, containers: [{ name: 'a', env: null }] });
    expect(spec).not.toHaveProperty('nodeSelector');
    expect(spec).not.toHaveProperty('volumes');
    expect(spec['containers']).toMatchObject([{ name: 'a' }, { name: 'c' }]);
    expect((spec['containers'] as object[])[0]).not.toHaveProperty('env');
  });

  it('keys that $retainKeys does not contain', async () => {
    const $retainKeys = ['name', 'configMap'];
    const { volumes } = await podSpec({ volumes: [{ name: 'v', $retainKeys, configMap: { name: 'x' } }] });
    expect((volumes as object[])[0]).toEqual({ name: 'v', configMap: { name: 'x', defaultMode: 420 } });
    const { body } = await send({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } });
    expect((body as Body).spec?.['strategy']).toEqual({ type: 'Recreate' });
  });

  it('members of a set by $deleteFromPrimitiveList', async () => {
    const finalizers = async (metadata: object) => ((await send({ metadata })).body as Body).metadata['finalizers'];
    expect(await finalizers({ '$deleteFromPrimitiveList/finalizers': ['test.io/c'] })).toEqual(['test.io/d']);
    expect(await finalizers({ finalizers: ['test.io/e'] })).toEqual(['test.io/e', 'test.io/c', 'test.io/d']);
  });
});

describe('a strategic merge patch orders by $setElementOrder', () => {
  it('items of a list', async () => {
    const order = [{ name: 'c' }, { name: 'a' }];
    expect(named((await podSpec({ '$setElementOrder/containers': order }))['containers'])).toEqual(['c', 'a']);
    const all = [{ name: 'n' }, { name: 'a' }, { name: 'c' }];
    const containers = [{ name: 'n', image: 'n' }];
    expect(named((await podSpec({ '$setElementOrder/containers': all, containers }))['containers'])).toEqual([
      'n',
      'a',
      'c',
    ]);
  });

  it('members of a set', async () => {
    const { body } = await send({ metadata: { '$setElementOrder/finalizers': ['test.io/d', 'test.io/c'] } });
    expect((body as Body).metadata['finalizers']).toEqual(['test.io/d', 'test.io/c']);
  });
});

describe('a strategic merge patch is refused', () => {
  const pod = (spec: unknown) => ({ spec: { template: { spec } } });

  it.each<[string, unknown, object]>([
    ['with an item without its key', pod({ containers: [{ image: 'x' }] }), refused(500)],
    ['with an unknown directive', pod({ nodeSelector: { $patch: 'other' } }), refused(500)],
    ['with a string for a number', { spec: { replicas: 'x' } }, INVALID],
    ['with a number for a label', { metadata: { labels: { a: 1 } } }, INVALID],
    ['with a string for a list', pod({ containers: 'x' }), INVALID],
    ['with a list', '[]', BAD_REQUEST],
    ['with invalid JSON', '{', BAD_REQUEST],
  ])('%s', async (_name, body, expected) => {
    expect(await send(body)).toMatchObject(expected);
  });

  it('if the object does not exist', async () => {
    expect(await patch(STRATEGIC, path().replace('/d?', '/nope?'), {})).toMatchObject(NOT_FOUND);
  });

  it('for a custom kind', async () => {
    await http('POST', widgets.path(), { body: widgets.object('w') });
    expect(await patch(STRATEGIC, widgets.path('w'), {})).toMatchObject(refused(415, 'UnsupportedMediaType'));
  });

  it('with an unknown field, if fieldValidation is Strict', async () => {
    expect(warningTexts(await send('{"other":1}'))).toEqual(['unknown field "other"']);
    expect(await patch(STRATEGIC, `${path()}&fieldValidation=Strict`, '{"other":1}')).toMatchObject(INVALID);
  });
});
