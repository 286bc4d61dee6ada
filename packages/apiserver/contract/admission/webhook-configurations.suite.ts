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

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const rule = (more: Record<string, unknown>) => ({
  rules: [
    { operations: ['CREATE'], apiGroups: ['nosuch.test.io'], apiVersions: ['v1'], resources: ['things'], ...more },
  ],
});
const R = 'webhooks[0].rules[0]';
const conditions = (...list: unknown[]) => ({ matchConditions: list });
const service = (more: Record<string, unknown>) => ({
  clientConfig: { service: { namespace: 'default', name: 'a', ...more } },
});
const url = (text: string) => ({ clientConfig: { url: text } });

describe('a configuration is refused', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['a name that is none', { name: 'A.test.io' }, [`webhooks[0].name: Invalid value: "A.test.io": ${SUBDOMAIN}`]],
    [
      'a name of two parts',
      { name: 'test.io' },
      ['webhooks[0].name: Invalid value: "test.io": should be a domain with at least three segments separated by dots'],
    ],
    ['no name', { name: '' }, ['webhooks[0].name: Required value']],
    [
      'a policy that does not exist',
      { failurePolicy: 'Maybe' },
      ['webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
    ],
    [
      'a match policy that does not exist',
      { matchPolicy: 'Some' },
      ['webhooks[0].matchPolicy: Unsupported value: "Some": supported values: "Equivalent", "Exact"'],
    ],
    [
      'nothing about side effects',
      { sideEffects: undefined },
      ['webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun'],
    ],
    [
      'side effects',
      { sideEffects: 'Some' },
      ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    ],
    [
      'too little time',
      { timeoutSeconds: 0 },
      ['webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      'too much time',
      { timeoutSeconds: 31 },
      ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      'no review versions',
      { admissionReviewVersions: [] },
      ['webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
    ],
    [
      'unknown review versions',
      { admissionReviewVersions: ['v7'] },
      ['webhooks[0].admissionReviewVersions: Invalid value: ["v7"]: must include at least one of v1, v1beta1'],
    ],
    [
      'a review version twice',
      { admissionReviewVersions: ['v1', 'v1'] },
      ['webhooks[0].admissionReviewVersions[1]: Invalid value: "v1": duplicate version'],
    ],
    ['a rule without operations', rule({ operations: [] }), [`${R}.operations: Required value`]],
    ['a rule without groups', rule({ apiGroups: [] }), [`${R}.apiGroups: Required value`]],
    ['a rule without versions', rule({ apiVersions: [] }), [`${R}.apiVersions: Required value`]],
    ['a rule without resources', rule({ resources: [] }), [`${R}.resources: Required value`]],
    [
      'an operation that does not exist',
      rule({ operations: ['GET'] }),
      [`${R}.operations[0]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`],
    ],
    [
      'all operations and one',
      rule({ operations: ['*', 'CREATE'] }),
      [`${R}.operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`],
    ],
    [
      'all groups and one',
      rule({ apiGroups: ['*', 'a'] }),
      [`${R}.apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other API groups`],
    ],
    [
      'all versions and one',
      rule({ apiVersions: ['*', 'a'] }),
      [`${R}.apiVersions: Invalid value: ["*","a"]: if '*' is present, must not specify other API versions`],
    ],
    ['an empty version', rule({ apiVersions: [''] }), [`${R}.apiVersions[0]: Required value`]],
    ['an empty resource', rule({ resources: [''] }), [`${R}.resources[0]: Required value`]],
    [
      'everything and something',
      rule({ resources: ['*/*', 'a'] }),
      [`${R}.resources: Invalid value: ["*/*","a"]: if '*/*' is present, must not specify other resources`],
    ],
    [
      'all resources and one',
      rule({ resources: ['*', 'a'] }),
      [
        `${R}.resources: Invalid value: ["*","a"]: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    [
      'all subresources and one',
      rule({ resources: ['a/*', 'a/b'] }),
      [`${R}.resources[1]: Invalid value: "a/b": if 'a/*' is present, must not specify a/b`],
    ],
    [
      'a subresource of all and of one',
      rule({ resources: ['*/b', 'a/b'] }),
      [`${R}.resources[1]: Invalid value: "a/b": if '*/b' is present, must not specify a/b`],
    ],
    [
      'a scope that does not exist',
      rule({ scope: 'Galaxy' }),
      [`${R}.scope: Unsupported value: "Galaxy": supported values: "*", "Cluster", "Namespaced"`],
    ],
    [
      'neither a URL nor a service',
      { clientConfig: {} },
      ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      'a URL and a service',
      { clientConfig: { ...url('https://a.test').clientConfig, ...service({}).clientConfig } },
      ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      'plain HTTP',
      url('http://a.test'),
      [
        `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ],
    [
      'a URL without host',
      url('https:///a'),
      ['webhooks[0].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]'],
    ],
    [
      'a URL with a user',
      url('https://me@a.test'),
      ['webhooks[0].clientConfig.url: Invalid value: "me": user information is not permitted in the URL'],
    ],
    [
      'a URL with a fragment',
      url('https://a.test/#b'),
      ['webhooks[0].clientConfig.url: Invalid value: "b": fragments are not permitted in the URL'],
    ],
    [
      'a URL with a query',
      url('https://a.test/?b=c'),
      ['webhooks[0].clientConfig.url: Invalid value: "b=c": query parameters are not permitted in the URL'],
    ],
    // kube-apiserver takes the one for the other here.
    ['a service without name', service({ name: '' }), ['webhooks[0].clientConfig.service.namespace: Required value']],
    [
      'a service without namespace',
      service({ namespace: '' }),
      ['webhooks[0].clientConfig.service.name: Required value'],
    ],
    [
      'a port that is none',
      service({ port: 70000 }),
      [
        'webhooks[0].clientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      'a path that is none',
      service({ path: 'a' }),
      [
        `webhooks[0].clientConfig.service.path: Invalid value: "a": must start with a '/'`,
        'webhooks[0].clientConfig.service.path: Invalid value: "a": segment[0] may not be empty',
      ],
    ],
    [
      'an empty segment of a path',
      service({ path: '/a//b' }),
      ['webhooks[0].clientConfig.service.path: Invalid value: "/a//b": segment[1] may not be empty'],
    ],
    [
      'a segment that is none',
      service({ path: '/A' }),
      [`webhooks[0].clientConfig.service.path: Invalid value: "/A": segment[0]: ${SUBDOMAIN}`],
    ],
    [
      'an operator that does not exist',
      { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
      ['webhooks[0].objectSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator'],
    ],
    [
      'a choice of nothing',
      { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      [
        `webhooks[0].namespaceSelector.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      ],
    ],
    [
      'values that nobody looks at',
      { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
      [
        `webhooks[0].objectSelector.matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      ],
    ],
    [
      'an empty condition',
      conditions({ name: 'a', expression: ' ' }),
      ['webhooks[0].matchConditions[0].expression: Required value'],
    ],
    [
      'a condition without name',
      conditions({ name: '', expression: 'true' }),
      ['webhooks[0].matchConditions[0].name: Required value'],
    ],
    [
      'two conditions of one name',
      conditions({ name: 'a', expression: 'true' }, { name: 'a', expression: 'false' }),
      ['webhooks[0].matchConditions[1].name: Duplicate value: "a"'],
    ],
    [
      'several things',
      { name: 'x', timeoutSeconds: 99 },
      [
        'webhooks[0].name: Invalid value: "x": should be a domain with at least three segments separated by dots',
        'webhooks[0].timeoutSeconds: Invalid value: 99: the timeout value must be between 1 and 30 seconds',
      ],
    ],
  ])('for %s', async (_what, more, problems) => {
    const name = unique('hooks');
    const { status, body } = await create([{ ...valid, ...more }], VALIDATING, name);
    const what = `ValidatingWebhookConfiguration.admissionregistration.k8s.io "${name}" is invalid`;
    expect(body).toMatchObject({
      reason: 'Invalid',
      message: `${what}: ${problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]`}`,
    });
    expect(status).toBe(422);
  });

  it.each(['object.', '1 +', '(true', 'nosuch(object)', 'nosuch == 1', '"text"'])(
    'for the condition %j, which cannot be evaluated',
    async (expression) => {
      const matchConditions = [{ name: 'a', expression }];
      expect(await create([{ ...valid, matchConditions }])).toMatchObject({
        status: 422,
        body: { reason: 'Invalid', details: { causes: [{ field: 'webhooks[0].matchConditions[0].expression' }] } },
      });
    },
  );

  it('for two webhooks of one name', async () => {
    expect((await create([valid, valid])).body).toMatchObject({
      reason: 'Invalid',
      details: { causes: [{ field: 'webhooks[1].name', message: 'Duplicate value: "a.test.io"' }] },
    });
  });

  it('for a policy of asking again that does not exist', async () => {
    expect((await create([{ ...valid, reinvocationPolicy: 'Often' }], MUTATING)).body).toMatchObject({
      reason: 'Invalid',
      details: {
        causes: [
          {
            field: 'webhooks[0].reinvocationPolicy',
            message: 'Unsupported value: "Often": supported values: "IfNeeded", "Never"',
          },
        ],
      },
    });
  });

  it('for the same when it is changed', async () => {
    const name = unique('hooks');
    await create([valid], VALIDATING, name);
    const answer = await http('PATCH', `${VALIDATING}/${name}`, {
      body: { webhooks: [{ ...valid, timeoutSeconds: 0 }] },
      contentType: 'application/merge-patch+json',
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'webhooks[0].timeoutSeconds' }] } },
    });
  });
});
