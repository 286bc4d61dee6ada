import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, STRATEGIC, warningTexts, writeScene, type Body } from './write-scene.ts';

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

/** Nothing is kept of the patches: each finds the Deployment as it was made. */
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
/** What becomes of the pod's spec. */
const podSpec = async (spec: unknown): Promise<Record<string, unknown>> => {
  const { status, body } = await send({ spec: { template: { spec } } });
  expect({ status, message: (body as Body)['message'] }).toEqual({ status: 200, message: undefined });
  return (body as { spec: { template: { spec: Record<string, unknown> } } }).spec.template.spec;
};
const named = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);

describe('a strategic merge patch merges lists by their keys', () => {
  it('an item that is there', async () => {
    const { containers } = await podSpec({ containers: [{ name: 'a', image: 'new', command: ['z'] }] });
    expect(containers).toMatchObject([{ ...CONTAINERS[0], image: 'new', command: ['z'] }, CONTAINERS[1] ?? {}]);
  });

  it('an item that is not there comes first', async () => {
    const { containers } = await podSpec({ containers: [{ name: 'n', image: 'n' }] });
    expect(named(containers)).toEqual(['n', 'a', 'c']);
  });

  it('items of items', async () => {
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

  it('items whose key is a number', async () => {
    const { containers } = await podSpec({ containers: [{ name: 'a', ports: [{ containerPort: 81, name: 'w' }] }] });
    expect(containers).toMatchObject([
      { ports: [{ containerPort: 80 }, { containerPort: 81, name: 'w', protocol: 'TCP' }] },
      {},
    ]);
  });

  it('but replaces lists that have none', async () => {
    const tolerations = [{ key: 'b', operator: 'Exists' }];
    expect((await podSpec({ tolerations }))['tolerations']).toEqual(tolerations);
  });
});

describe('a strategic merge patch takes away', () => {
  it('an item by $patch: delete, if it is there', async () => {
    expect(named((await podSpec({ containers: [{ name: 'c', $patch: 'delete' }] }))['containers'])).toEqual(['a']);
    expect(named((await podSpec({ containers: [{ name: 'z', $patch: 'delete' }] }))['containers'])).toEqual(['a', 'c']);
  });

  it('all but what comes along by $patch: replace', async () => {
    const containers = [{ $patch: 'replace' }, { name: 'only', image: 'o' }];
    expect(named((await podSpec({ containers }))['containers'])).toEqual(['only']);
    expect((await podSpec({ nodeSelector: { $patch: 'replace', k: 'v' } }))['nodeSelector']).toEqual({ k: 'v' });
  });

  it('a map by $patch: delete', async () => {
    expect(await podSpec({ nodeSelector: { $patch: 'delete' } })).not.toHaveProperty('nodeSelector');
  });

  it('what is null', async () => {
    const spec = await podSpec({ nodeSelector: { n: null }, volumes: null, containers: [{ name: 'a', env: null }] });
    expect(spec).not.toHaveProperty('nodeSelector');
    expect(spec).not.toHaveProperty('volumes');
    expect(spec['containers']).toMatchObject([{ name: 'a' }, { name: 'c' }]);
    expect((spec['containers'] as object[])[0]).not.toHaveProperty('env');
  });

  it('keys that are not to be retained', async () => {
    const $retainKeys = ['name', 'configMap'];
    const { volumes } = await podSpec({ volumes: [{ name: 'v', $retainKeys, configMap: { name: 'x' } }] });
    expect((volumes as object[])[0]).toEqual({ name: 'v', configMap: { name: 'x', defaultMode: 420 } });
    const { body } = await send({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } });
    expect((body as Body).spec?.['strategy']).toEqual({ type: 'Recreate' });
  });

  it('members of a set', async () => {
    const finalizers = async (metadata: object) => ((await send({ metadata })).body as Body).metadata['finalizers'];
    expect(await finalizers({ '$deleteFromPrimitiveList/finalizers': ['test.io/c'] })).toEqual(['test.io/d']);
    expect(await finalizers({ finalizers: ['test.io/e'] })).toEqual(['test.io/e', 'test.io/c', 'test.io/d']);
  });
});

describe('a strategic merge patch orders', () => {
  it('items as it says', async () => {
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

  it('members of sets as it says', async () => {
    const { body } = await send({ metadata: { '$setElementOrder/finalizers': ['test.io/d', 'test.io/c'] } });
    expect((body as Body).metadata['finalizers']).toEqual(['test.io/d', 'test.io/c']);
  });

  it('nothing that it does not name', async () => {
    const answer = await send({
      spec: {
        template: {
          spec: {
            '$setElementOrder/containers': [{ name: 'a' }],
            containers: [{ name: 'n', image: 'n' }],
          },
        },
      },
    });
    expect(answer.status).toBe(500);
  });
});

describe('a strategic merge patch that cannot be made', () => {
  const pod = (spec: unknown) => ({ spec: { template: { spec } } });

  it.each([pod({ containers: [{ image: 'x' }] }), pod({ nodeSelector: { $patch: 'other' } })])(
    'fails: %j',
    async (body) => {
      expect(answerOf(await send(body))).toEqual(refusal(500, ''));
    },
  );

  it.each([
    { spec: { replicas: 'x' } },
    { spec: { replicas: 1.5 } },
    { metadata: { labels: { a: 1 } } },
    pod({ containers: 'x' }),
  ])('has values of other types: %j', async (body) => {
    expect(await send(body)).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] } },
    });
  });

  it.each(['[]', '"x"', '{', ''])('is no object: %j', async (body) => {
    expect(answerOf(await send(body))).toEqual(refusal(400, 'BadRequest'));
  });

  it('is of what is not there', async () => {
    const nope = path().replace('/d?', '/nope?');
    expect(answerOf(await patch(STRATEGIC, nope, {}))).toEqual(
      refusal(404, 'NotFound', 'deployments.apps "nope" not found', {
        name: 'nope',
        group: 'apps',
        kind: 'deployments',
      }),
    );
  });

  it('is of a custom kind', async () => {
    await http('POST', widgets.path(), { body: widgets.object('w') });
    expect(answerOf(await patch(STRATEGIC, widgets.path('w'), {}))).toEqual(
      refusal(
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      ),
    );
  });
});

describe('a strategic merge patch is checked', () => {
  it('for fields that are unknown', async () => {
    const body = '{"other":1}';
    const warned = await send(body);
    expect(warned.status).toBe(200);
    expect(warningTexts(warned)).toEqual(['unknown field "other"']);
    const strict = await patch(STRATEGIC, `${path()}&fieldValidation=Strict`, body);
    expect(strict).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] } },
    });
    expect(warningTexts(await patch(STRATEGIC, `${path()}&fieldValidation=Ignore`, body))).toEqual([]);
  });
});
