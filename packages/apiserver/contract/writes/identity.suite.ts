import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { answerOf, invalid, MERGE, STRATEGIC, writeScene } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { subjects, within, make, get, patch, unique } = writeScene(harness);

const refused = (message: string) => ({ status: 422, body: { reason: 'Invalid', message } });

describe.each(subjects)('a patch of %s', (_what, kind) => {
  it('cannot rename, move or swap the object', async () => {
    const name = unique();
    await make(kind.path(), kind.object(name));
    const change = async (metadata: Record<string, unknown>) =>
      (await patch(MERGE, kind.path(name), { metadata })) as { status: number; body: { message: string } };
    expect(await change({ name: 'other' })).toMatchObject({
      status: 400,
      body: { message: `the name of the object (other) does not match the name on the URL (${name})` },
    });
    expect(await change({ namespace: 'other' })).toMatchObject({
      status: 400,
      body: { message: 'the namespace of the provided object does not match the namespace sent on the request' },
    });
    const { message } = kind.invalid(name, {
      field: 'metadata.uid',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "other": field is immutable',
    }).body as { message: string };
    expect(await change({ uid: 'other' })).toMatchObject(refused(message));
  });

  it('does not touch the time of creation', async () => {
    const name = unique();
    const { metadata } = await make(kind.path(), kind.object(name));
    for (const creationTimestamp of [null, '2000-01-01T00:00:00Z']) {
      const { body } = await patch(MERGE, kind.path(name), { metadata: { creationTimestamp } });
      expect(body).toMatchObject({ metadata: { creationTimestamp: metadata['creationTimestamp'] } });
    }
  });
});

describe('a Secret', () => {
  const path = (name: string) => `${within('secrets')}/${name}`;

  it('keeps its type', async () => {
    await make(within('secrets'), { metadata: { name: 'typed' }, stringData: { a: 'b' } });
    expect(answerOf(await patch(MERGE, path('typed'), { type: 'other' }))).toEqual(
      invalid('Secret', '', 'typed', [
        { field: 'type', reason: 'FieldValueInvalid', message: 'Invalid value: "other": field is immutable' },
      ]),
    );
  });
});

describe.each([
  ['a Secret', 'Secret', 'secrets', { a: 'eA==' }, { a: 'eQ==' }],
  ['a ConfigMap', 'ConfigMap', 'configmaps', { a: 'x' }, { a: 'y' }],
])('%s that is immutable', (_what, kind, plural, data, other) => {
  const path = () => `${within(plural)}/fixed`;
  const frozen = (...fields: string[]) =>
    invalid(
      kind,
      '',
      'fixed',
      fields.map((field) => ({
        field,
        reason: 'FieldValueForbidden',
        message: 'Forbidden: field is immutable when `immutable` is set',
      })),
    );
  beforeAll(async () => {
    await make(within(plural), { metadata: { name: 'fixed' }, data, immutable: true });
  });

  it('keeps its data', async () => {
    expect(answerOf(await patch(MERGE, path(), { data: other }))).toEqual(frozen('data'));
  });

  it('stays so', async () => {
    expect(answerOf(await patch(MERGE, path(), { immutable: false }))).toEqual(frozen('immutable'));
    expect(answerOf(await patch(MERGE, path(), { immutable: null }))).toEqual(frozen('immutable'));
  });

  it('can be labelled', async () => {
    expect((await patch(MERGE, path(), { metadata: { labels: { a: 'b' } } })).status).toBe(200);
  });
});

describe('a Service', () => {
  let address = '';
  const path = () => `${within('services')}/fixed`;
  const fixed = (value: string) =>
    refused(`Service "fixed" is invalid: spec.clusterIPs[0]: Invalid value: ["${value}"]: may not change once set`);
  beforeAll(async () => {
    const body = { metadata: { name: 'fixed' }, spec: { ports: [{ port: 80 }], selector: { a: 'b' } } };
    address = String((await make(within('services'), body)).spec?.['clusterIP']);
  });

  it('keeps its address', async () => {
    const other = address.endsWith('.77') ? address.replace(/\d+$/, '78') : address.replace(/\d+$/, '77');
    expect(await patch(MERGE, path(), { spec: { clusterIP: other } })).toMatchObject(fixed(other));
    expect(await patch(MERGE, path(), { spec: { clusterIP: 'None' } })).toMatchObject(fixed('None'));
  });

  it.each([{ clusterIP: null }, { clusterIPs: null }, { clusterIP: null, clusterIPs: null }, { selector: null }])(
    'has it still after %j',
    async (spec) => {
      expect(await patch(MERGE, path(), { spec })).toMatchObject({
        status: 200,
        body: { spec: { clusterIP: address, clusterIPs: [address] } },
      });
    },
  );
});

describe('a Pod', () => {
  const path = () => `${within('pods')}/fixed`;
  beforeAll(async () => {
    // There may be nobody who makes the default account.
    await http('POST', within('serviceaccounts'), { body: { metadata: { name: 'default' } } });
    await make(within('pods'), {
      metadata: { name: 'fixed' },
      spec: {
        serviceAccountName: 'default',
        activeDeadlineSeconds: 100,
        containers: [{ name: 'a', image: 'one' }],
      },
    });
  });
  const strategic = async (spec: unknown) => await patch(STRATEGIC, path(), { spec });

  it('may get another image, which is a new generation', async () => {
    expect(await strategic({ containers: [{ name: 'a', image: 'two' }] })).toMatchObject({
      status: 200,
      body: { metadata: { generation: 2 }, spec: { containers: [{ image: 'two' }] } },
    });
  });

  it.each([{ hostname: 'x' }, { nodeName: 'other' }, { restartPolicy: 'Never' }, { terminationGracePeriodSeconds: 5 }])(
    'keeps all else: %j',
    async (spec) => {
      const { status, body } = await strategic(spec);
      expect(status).toBe(422);
      expect((body as { message: string }).message).toContain('pod updates may not change fields other than');
    },
  );
});

describe('a Deployment', () => {
  it('keeps its selector', async () => {
    const template = (labels: Record<string, string>) => ({
      metadata: { labels },
      spec: { containers: [{ name: 'a', image: 'b' }] },
    });
    const path = within('deployments', 'apps');
    await make(path, {
      metadata: { name: 'fixed' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: template({ a: 'b' }) },
    });
    const before = await get(`${path}/fixed`);
    const spec = { ...before.spec, selector: { matchLabels: { a: 'c' } }, template: template({ a: 'c' }) };
    expect(await http('PUT', `${path}/fixed`, { body: { ...before, spec } })).toMatchObject(
      refused(
        'Deployment.apps "fixed" is invalid: spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable',
      ),
    );
  });
});

describe('a RoleBinding', () => {
  it('keeps its role', async () => {
    const path = within('rolebindings', 'rbac.authorization.k8s.io');
    await make(path, { metadata: { name: 'fixed' }, roleRef: { kind: 'Role', name: 'r' } });
    expect(await patch(MERGE, `${path}/fixed`, { roleRef: { name: 'z' } })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ field: 'roleRef', reason: 'FieldValueInvalid' }] } },
    });
  });
});
