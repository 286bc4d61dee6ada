import { afterAll, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { webhookScene } from '../../../../test/harness/scenes/webhook-scene.ts';
import { INVALID } from '../refusal.ts';

const { http } = await cluster();
const { unique } = webhookScene({ http });

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const VALIDATING = `${GROUP}/validatingwebhookconfigurations`;
const made: string[] = [];
afterAll(async () => {
  for (const path of made) await http('DELETE', path);
});

/** A webhook without rules, which is never called. */
const WEBHOOK = {
  name: 'a.test.io',
  clientConfig: { url: 'https://a.test' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const DEFAULTS = {
  ...WEBHOOK,
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};
const create = async (webhooks: unknown, collection = VALIDATING, name = unique('hooks')) => {
  made.push(`${collection}/${name}`);
  return await http('POST', collection, { body: { metadata: { name }, webhooks } });
};
const rule = { operations: ['CREATE'], apiGroups: ['nosuch.test.io'], apiVersions: ['v1'], resources: ['things'] };
const service = { namespace: 'default', name: 'a' };

it.each<[string, string, object, object]>([
  ['validating', VALIDATING, {}, {}],
  ['mutating', `${GROUP}/mutatingwebhookconfigurations`, {}, { reinvocationPolicy: 'Never' }],
  ['with a rule', VALIDATING, { rules: [rule] }, { rules: [{ ...rule, scope: '*' }] }],
  [
    'with a Service',
    VALIDATING,
    { clientConfig: { service } },
    { clientConfig: { service: { ...service, port: 443 } } },
  ],
])('a webhook has defaults: %s', async (_what, collection, fields, defaults) => {
  const { status, body } = await create([{ ...WEBHOOK, ...fields }], collection);
  expect(status).toBe(201);
  expect((body as { webhooks: unknown }).webhooks).toEqual([{ ...DEFAULTS, ...fields, ...defaults }]);
});

it.each([undefined, []])('a configuration can have no webhooks: %j', async (webhooks) => {
  expect((await create(webhooks)).status).toBe(201);
});

it('the generation of a configuration counts changes of its webhooks, and a PUT needs its resourceVersion', async () => {
  const name = unique('hooks');
  const path = `${VALIDATING}/${name}`;
  await create([WEBHOOK], VALIDATING, name);
  const patch = async (body: unknown) =>
    (await http('PATCH', path, { body, contentType: 'application/merge-patch+json' })).body;
  expect(await patch({ metadata: { labels: { a: 'b' } } })).toMatchObject({ metadata: { generation: 1 } });
  expect(await patch({ webhooks: [{ ...WEBHOOK, timeoutSeconds: 5 }] })).toMatchObject({ metadata: { generation: 2 } });
  expect(await http('PUT', path, { body: { metadata: { name }, webhooks: [WEBHOOK] } })).toMatchObject(INVALID);
});

it.each<object>([
  ...['object.', '1 +', '(true', 'nosuch(object)'].map((expression) => ({
    matchConditions: [{ name: 'a', expression }],
  })),
  { objectSelector: { matchLabels: { 'a b': 'c' } } },
])('an invalid webhook is refused: %j', async (fields) => {
  expect(await create([{ ...WEBHOOK, ...fields }])).toMatchObject(INVALID);
});
