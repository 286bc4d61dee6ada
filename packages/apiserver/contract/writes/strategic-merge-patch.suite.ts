import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, INVALID, NOT_FOUND, refused } from '../refusal.ts';
import { STRATEGIC, warningTexts, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { widgets, within, make, patch } = writeScene(harness);

const X = { name: 'X', value: '1' };
const Y = { name: 'Y', value: '2' };
const A = {
  name: 'a',
  image: 'one',
  command: ['x', 'y'],
  env: [X, Y],
  ports: [{ containerPort: 80, protocol: 'TCP' }],
};
const C = { name: 'c', image: 'two' };
const V = { name: 'v', emptyDir: {} };

/** The patches are dry runs, so each applies to the Deployment as it was created. */
const path = () => `${within('deployments', 'apps')}/d?dryRun=All`;
const send = async (body: unknown) => await patch(STRATEGIC, path(), body);
const pod = (spec: unknown) => ({ spec: { template: { spec } } });
beforeAll(async () => {
  const labels = { a: 'b' };
  const tolerations = [{ key: 'a', operator: 'Exists' }];
  const spec = { containers: [A, C], nodeSelector: { n: 'm' }, tolerations, volumes: [V] };
  await make(within('deployments', 'apps'), {
    metadata: { name: 'd', finalizers: ['test.io/c', 'test.io/d'] },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
});

describe('a strategic merge patch', () => {
  const n = { name: 'n', image: 'n' };
  const order = ['c', 'a'].map((name) => ({ name }));
  const finalizers = ['test.io/d', 'test.io/c'];
  it.each<[string, object, object]>([
    [
      'merges an item by its key',
      pod({ containers: [{ name: 'a', command: ['z'] }] }),
      pod({ containers: [{ ...A, command: ['z'] }, C] }),
    ],
    ['puts a new item first', pod({ containers: [n] }), pod({ containers: [n, A, C] })],
    [
      'merges items of an item',
      pod({ containers: [{ name: 'a', env: [{ ...Y, value: '9' }] }] }),
      pod({ containers: [{ env: [X, { ...Y, value: '9' }] }, C] }),
    ],
    [
      'merges by a number',
      pod({ containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'w' }] }] }),
      pod({ containers: [{ ports: [{ containerPort: 80, name: 'w', protocol: 'TCP' }] }, C] }),
    ],
    ['replaces a list without a key', pod({ tolerations: [{ key: 'b' }] }), pod({ tolerations: [{ key: 'b' }] })],
    ['deletes an item', pod({ containers: [{ name: 'c', $patch: 'delete' }] }), pod({ containers: [A] })],
    ['replaces a list with a key', pod({ containers: [{ $patch: 'replace' }, n] }), pod({ containers: [n] })],
    [
      'removes an item that is null',
      pod({ containers: [{ name: 'a', env: null }] }),
      pod({ containers: [{ name: 'a' }, C] }),
    ],
    [
      'retains only keys of $retainKeys',
      pod({ volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'x' } }] }),
      pod({ volumes: [{ name: 'v', configMap: { name: 'x' } }] }),
    ],
    ['orders items', pod({ '$setElementOrder/containers': order }), pod({ containers: [C, A] })],
    [
      'adds members of a set',
      { metadata: { finalizers: ['test.io/e'] } },
      { metadata: { finalizers: ['test.io/e', 'test.io/c', 'test.io/d'] } },
    ],
    [
      'deletes members of a set',
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['test.io/c'] } },
      { metadata: { finalizers: ['test.io/d'] } },
    ],
    [
      'orders members of a set',
      { metadata: { '$setElementOrder/finalizers': finalizers } },
      { metadata: { finalizers } },
    ],
  ])('%s', async (_what, body, expected) => {
    expect(await send(body)).toMatchObject({ status: 200, body: expected });
  });

  it.each([{ $patch: 'delete' }, null, { n: null }])('removes a map: %j', async (nodeSelector) => {
    const { body } = await send(pod({ nodeSelector }));
    expect(body).not.toHaveProperty('spec.template.spec.nodeSelector.n');
  });

  it.each<[string, unknown, object]>([
    ['an item without its key', pod({ containers: [{ image: 'x' }] }), refused(500)],
    ['an unknown directive', pod({ nodeSelector: { $patch: 'other' } }), refused(500)],
    ['a string for a number', { spec: { replicas: 'x' } }, INVALID],
    ['a number for a label', { metadata: { labels: { a: 1 } } }, INVALID],
    ['a string for a list', pod({ containers: 'x' }), INVALID],
    ['a list', '[]', BAD_REQUEST],
    ['invalid JSON', '{', BAD_REQUEST],
  ])('is refused with %s', async (_name, body, expected) => {
    expect(await send(body)).toMatchObject(expected);
  });

  it('is refused if the object does not exist, and for a custom kind', async () => {
    expect(await patch(STRATEGIC, path().replace('/d?', '/nope?'), {})).toMatchObject(NOT_FOUND);
    await http('POST', widgets.path(), { body: widgets.object('w') });
    expect(await patch(STRATEGIC, widgets.path('w'), {})).toMatchObject(refused(415, 'UnsupportedMediaType'));
  });

  it('is refused with an unknown field if fieldValidation is Strict', async () => {
    expect(warningTexts(await send('{"other":1}'))).toEqual(['unknown field "other"']);
    expect(await patch(STRATEGIC, `${path()}&fieldValidation=Strict`, '{"other":1}')).toMatchObject(INVALID);
  });
});
