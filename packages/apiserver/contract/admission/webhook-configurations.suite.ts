import { afterAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { webhookScene } from '../../../../test/harness/scenes/webhook-scene.ts';

const { http } = await cluster();
const { unique } = webhookScene({ http });

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const VALIDATING = `${GROUP}/validatingwebhookconfigurations`;
const MUTATING = `${GROUP}/mutatingwebhookconfigurations`;
const made: string[] = [];
afterAll(async () => {
  for (const path of made) await http('DELETE', path);
});

/** It is never asked: it has no rules. */
const valid = {
  name: 'a.test.io',
  clientConfig: { url: 'https://a.test' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const create = async (webhooks: unknown, collection = VALIDATING, name = unique('hooks')) => {
  made.push(`${collection}/${name}`);
  return await http('POST', collection, { body: { metadata: { name }, webhooks } });
};

describe('a configuration of webhooks', () => {
  const defaults = {
    ...valid,
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  };

  it('that validate gets what it leaves out', async () => {
    const { status, body } = await create([valid]);
    expect(status).toBe(201);
    expect(body).toMatchObject({ metadata: { generation: 1 } });
    expect((body as { webhooks: unknown }).webhooks).toEqual([defaults]);
  });

  it('that mutate is never to be asked twice, unless it says so', async () => {
    const { body } = await create([valid], MUTATING);
    expect((body as { webhooks: unknown }).webhooks).toEqual([{ ...defaults, reinvocationPolicy: 'Never' }]);
  });

  it('has rules for all scopes, and services at the port of https', async () => {
    const rule = { operations: ['CREATE'], apiGroups: ['nosuch.test.io'], apiVersions: ['v1'], resources: ['things'] };
    const clientConfig = { service: { namespace: 'default', name: 'a' } };
    const { body } = await create([{ ...valid, clientConfig, rules: [rule] }]);
    expect((body as { webhooks: unknown }).webhooks).toEqual([
      {
        ...defaults,
        clientConfig: { service: { namespace: 'default', name: 'a', port: 443 } },
        rules: [{ ...rule, scope: '*' }],
      },
    ]);
  });

  it('may have no webhooks', async () => {
    expect((await create(undefined)).status).toBe(201);
    expect((await create([])).status).toBe(201);
  });

  it('counts the changes of its webhooks', async () => {
    const name = unique('hooks');
    await create([valid], VALIDATING, name);
    const patch = async (body: unknown) =>
      (await http('PATCH', `${VALIDATING}/${name}`, { body, contentType: 'application/merge-patch+json' })).body;
    expect(await patch({ metadata: { labels: { a: 'b' } } })).toMatchObject({ metadata: { generation: 1 } });
    expect(await patch({ webhooks: [{ ...valid, timeoutSeconds: 5 }] })).toMatchObject({ metadata: { generation: 2 } });
  });

  it('is updated with its resourceVersion or not at all', async () => {
    const name = unique('hooks');
    await create([valid], VALIDATING, name);
    const answer = await http('PUT', `${VALIDATING}/${name}`, { body: { metadata: { name }, webhooks: [valid] } });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        message: `validatingwebhookconfigurations.admissionregistration.k8s.io "${name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      },
    });
  });
});

describe('a configuration is refused', () => {
  it.each(['object.', '1 +', '(true', 'nosuch(object)'])(
    'for the condition %j, which cannot be evaluated',
    async (expression) => {
      const matchConditions = [{ name: 'a', expression }];
      expect(await create([{ ...valid, matchConditions }])).toMatchObject({
        status: 422,
        body: { reason: 'Invalid', details: { causes: [{ field: 'webhooks[0].matchConditions[0].expression' }] } },
      });
    },
  );

  it('for a selector that cannot be read', async () => {
    const objectSelector = { matchLabels: { 'a b': 'c' } };
    expect(await create([{ ...valid, objectSelector }])).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });
});
