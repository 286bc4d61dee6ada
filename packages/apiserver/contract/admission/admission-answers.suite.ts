import { describe, expect, it } from 'vitest';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import { cluster } from '../../../../test/harness/index.ts';
import { warningsOf, webhookScene } from '../../../../test/harness/scenes/webhook-scene.ts';
import { patched, WebhookServer, type Handler } from '../../../../test/harness/scenes/webhook-server.ts';
import { INVALID, NOT_FOUND, refused } from '../refusal.ts';

const { http, namespace } = await cluster();
const scene = webhookScene({ http });
const { install, unique, webhook } = scene;

type Kind = 'mutating' | 'validating';
const KINDS: Kind[] = ['mutating', 'validating'];
const FAILED = refused(500, 'InternalError');
const configMaps = (where: string) => `/api/v1/namespaces/${where}/configmaps`;

/** Creates a ConfigMap with one webhook. */
const createWith = async (
  kind: Kind,
  handler: Handler,
  { query = '', ...more }: Record<string, unknown> & { query?: string } = {},
) => {
  const where = await namespace();
  const path = scene.webhooks.answer(handler);
  await install(kind, where, [webhook(where, path, { name: 'check.test.io', ...more })]);
  const body = { metadata: { name: 'a' }, data: { k: 'v' } };
  const answer = await http('POST', `${configMaps(where)}${query}`, { body });
  return { path, answer, get: async () => await http('GET', `${configMaps(where)}/a`) };
};

describe('a webhook that refuses', () => {
  const causes = [{ field: 'spout' }];
  const all = { code: 418, reason: 'Teapot', message: 'short and stout', details: { name: 'pot', causes } };
  it.each<[string, object | undefined, object]>([
    ['nothing', undefined, { code: 400, message: expect.stringContaining('"check.test.io" denied') as string }],
    ['a message', { message: 'no red' }, { code: 400, message: expect.stringMatching(/: no red$/) as string }],
    ['a reason', { reason: 'Forbidden' }, { code: 400, reason: 'Forbidden' }],
    ['all fields', all, { ...all, message: expect.stringContaining('short and stout') as string }],
    ['a success', { code: 200, status: 'Success', message: 'fine' }, { code: 400, status: 'Failure' }],
  ])('can give %s', async (_what, status, expected) => {
    for (const kind of KINDS) {
      const { answer, get } = await createWith(kind, () => ({ allowed: false, status }));
      expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', ...expected });
      expect(answer.status).toBe((answer.body as { code: number }).code);
      expect(await get()).toMatchObject(NOT_FOUND);
    }
  });

  it('prevents updates and deletions', async () => {
    const where = await namespace();
    await http('POST', configMaps(where), { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
    await scene.one('validating', where, () => ({ allowed: false }));
    const patch = { body: { data: { k: 'w' } }, contentType: 'application/merge-patch+json' };
    expect((await http('PATCH', `${configMaps(where)}/a`, patch)).status).toBe(400);
    for (const path of [`${configMaps(where)}/a`, configMaps(where)])
      expect((await http('DELETE', path)).status).toBe(400);
    expect((await http('GET', `${configMaps(where)}/a`)).body).toMatchObject({ data: { k: 'v' } });
  });

  it('is also called for a dry run', async () => {
    const { answer, path } = await createWith('validating', () => ({ allowed: false }), { query: '?dryRun=All' });
    expect(answer.status).toBe(400);
    expect(scene.webhooks.reviews(path)).toMatchObject([{ dryRun: true, options: { dryRun: ['All'] } }]);
  });

  it('has the same effect with every failurePolicy', async () => {
    const { answer } = await createWith('validating', () => ({ allowed: false }), { failurePolicy: 'Ignore' });
    expect(answer.status).toBe(400);
  });
});

describe('warnings of webhooks', () => {
  it('are sent once each', async () => {
    const where = await namespace();
    await scene.one('mutating', where, () => ({ allowed: true, warnings: ['first', 'say "no"'] }));
    await scene.one('validating', where, () => ({ allowed: true, warnings: ['first', 'last', ''] }));
    const answer = await http('POST', configMaps(where), { body: { metadata: { name: 'a' } } });
    expect(warningsOf(answer)).toEqual(['first', 'say \\"no\\"', 'last']);
    expect(warningsOf(await http('DELETE', `${configMaps(where)}/a`))).toHaveLength(3);
  });

  it('are sent with a refusal', async () => {
    const { answer } = await createWith('validating', () => ({ allowed: false, warnings: ['careful'] }));
    expect(warningsOf(answer)).toEqual(['careful']);
  });
});

describe('the patch of a mutating webhook', () => {
  const label = (value: object) => ({ op: 'add', path: '/metadata/labels', value });
  const replace = { op: 'replace', path: '/data/k', value: 'w' };

  it('changes the stored object', async () => {
    const patch = patched(label({ by: 'webhook' }), replace, { op: 'test', path: '/data/k', value: 'w' });
    const { answer, get } = await createWith('mutating', () => patch);
    const expected = { metadata: { labels: { by: 'webhook' } }, data: { k: 'w' } };
    expect(answer).toMatchObject({ status: 201, body: expected });
    expect((await get()).body).toMatchObject(expected);
  });

  it('is in the answer of a dry run only', async () => {
    const { answer, get } = await createWith('mutating', () => patched(replace), { query: '?dryRun=All' });
    expect(answer.body).toMatchObject({ data: { k: 'w' } });
    expect(await get()).toMatchObject(NOT_FOUND);
  });

  it('cannot set metadata of the server, and loses unknown fields', async () => {
    const uid = { op: 'add', path: '/metadata/uid', value: 'mine' };
    const { answer } = await createWith('mutating', () => patched(uid, { op: 'add', path: '/nosuch', value: 1 }));
    expect(answer.body).toMatchObject({ metadata: { uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string } });
    expect(answer.body).not.toHaveProperty('nosuch');
  });

  it.each([
    ['with an invalid label', patched(label({ 'a b': 'x' })), INVALID],
    ['that cannot be applied, with any failurePolicy', patched({ op: 'remove', path: '/data/nosuch' }), FAILED],
  ])('%s is refused', async (_what, patch, expected) => {
    expect((await createWith('mutating', () => patch, { failurePolicy: 'Ignore' })).answer).toMatchObject(expected);
  });

  it('is refused for a deletion', async () => {
    const where = await namespace();
    await http('POST', configMaps(where), { body: { metadata: { name: 'a' } } });
    await scene.one('mutating', where, () => patched({ op: 'add', path: '/data', value: {} }));
    expect(await http('DELETE', `${configMaps(where)}/a`)).toMatchObject(FAILED);
  });
});

const REVIEW = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' };
const json =
  (bodyOf: (uid: string) => object): Handler =>
  ({ uid }, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(bodyOf(uid)));
    return undefined;
  };
const status =
  (code: number): Handler =>
  (_request, response) => {
    response.writeHead(code, { 'content-type': 'text/plain' }).end('no');
    return undefined;
  };

describe('the call of a webhook fails with', () => {
  it.each<[string, Kind, Handler, Record<string, unknown>?]>([
    ['another uid', 'validating', () => ({ uid: 'x', allowed: true })],
    ['no response', 'validating', json(() => REVIEW)],
    ['status 500', 'validating', status(500)],
    ['status 404', 'mutating', status(404)],
    ['no answer in time', 'validating', () => new Promise(() => undefined), { timeoutSeconds: 1 }],
    [
      'a closed connection',
      'mutating',
      (_request, response) => {
        response.destroy();
        return undefined;
      },
    ],
  ])('%s, and failurePolicy decides', async (_what, kind, handler, more = {}) => {
    expect((await createWith(kind, handler, more)).answer).toMatchObject(FAILED);
    expect((await createWith(kind, handler, { ...more, failurePolicy: 'Ignore' })).answer.status).toBe(201);
  });

  it('an unreachable server, another CA or an absent Service, and failurePolicy decides', async () => {
    const { ca } = await issueServerCertificate({ names: ['other.test'], now: Date.now() });
    const url = `https://127.0.0.1:${scene.webhooks.port}/check`;
    for (const clientConfig of [
      // The discard port, on which nothing listens.
      { url: 'https://127.0.0.1:9/check' },
      { url, caBundle: Buffer.from(ca).toString('base64') },
      { service: { name: 'none', namespace: 'default', path: '/check' } },
    ]) {
      const create = async (failurePolicy: string) =>
        (await createWith('validating', () => ({ allowed: true }), { clientConfig, failurePolicy })).answer;
      expect(await create('Fail')).toMatchObject(FAILED);
      expect((await create('Ignore')).status).toBe(201);
    }
  });

  it('a certificate for another name', async () => {
    const [where, name] = [await namespace(), unique('hook')];
    const service = { metadata: { name }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } };
    await http('POST', `/api/v1/namespaces/${where}/services`, { body: service });
    const { port, caBundle } = scene.webhooks;
    const clientConfig = { caBundle, service: { name, namespace: where, port } };
    await install('validating', where, [webhook(where, '/', { clientConfig })]);
    expect(await http('POST', configMaps(where), { body: { metadata: { name: 'a' } } })).toMatchObject(FAILED);
  });
});

it('an answer without allowed is a refusal', async () => {
  const { answer } = await createWith(
    'validating',
    json((uid) => ({ ...REVIEW, response: { uid } })),
  );
  expect(answer.status).toBe(400);
});

it('a webhook behind a Service is called at its port, with its DNS name', async () => {
  const [where, name] = [await namespace(), unique('hook')];
  const server = await WebhookServer.start(`${name}.${where}.svc`);
  const service = { metadata: { name }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } };
  await http('POST', `/api/v1/namespaces/${where}/services`, { body: service });
  const path = server.answer(() => ({ allowed: false, status: { message: 'found' } }));
  const clientConfig = { caBundle: server.caBundle, service: { name, namespace: where, port: server.port, path } };
  await install('validating', where, [webhook(where, path, { clientConfig })]);
  const answer = await http('POST', configMaps(where), { body: { metadata: { name: 'a' } } });
  await server.close();
  expect(answer.body).toMatchObject({ message: expect.stringMatching(/: found$/) as string });
  expect(server.urls(path)).toEqual([`${path}?timeout=10s`]);
});
