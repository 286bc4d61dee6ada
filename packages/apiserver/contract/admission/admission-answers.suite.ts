import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import { cluster } from '../../../../test/harness/index.ts';
import { warningsOf, webhookScene } from '../../../../test/harness/scenes/webhook-scene.ts';
import { patched, WebhookServer, type Handler } from '../../../../test/harness/scenes/webhook-server.ts';

const { http, namespace } = await cluster();
const scene = webhookScene({ http });
const { install, unique, webhook } = scene;

const configMaps = (where: string) => `/api/v1/namespaces/${where}/configmaps`;

/** Makes a ConfigMap past one webhook. */
const createPast = async (
  kind: 'mutating' | 'validating',
  handler: Handler,
  { query = '', ...more }: Record<string, unknown> & { query?: string } = {},
) => {
  const where = await namespace();
  const path = scene.webhooks.answer(handler);
  await install(kind, where, [webhook(where, path, { name: 'judge.test.io', ...more })]);
  const body = { metadata: { name: 'a' }, data: { k: 'v' } };
  const answer = await http('POST', `${configMaps(where)}${query}`, { body });
  return { where, path, answer };
};
const failure = (message: string) => ({
  status: 500,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
    code: 500,
  },
});

/** A webhook that could not be called; `url`: as the message quotes it. */
const uncalled = (url = '') => ({
  status: 500,
  body: {
    reason: 'InternalError',
    message: expect.stringContaining(
      `failed calling webhook "judge.test.io": failed to call webhook: ${url === '' ? '' : `Post "${url}`}`,
    ) as string,
  },
});

describe('a webhook that refuses', () => {
  const message = 'admission webhook "judge.test.io" denied the request';
  it.each([
    ['says nothing', undefined, { code: 400, message: `${message} without explanation` }],
    ['says why', { message: 'no such colour' }, { code: 400, message: `${message}: no such colour` }],
    ['gives a reason', { reason: 'Forbidden' }, { code: 400, reason: 'Forbidden', message: `${message}: Forbidden` }],
    [
      'gives all',
      {
        code: 418,
        reason: 'Teapot',
        message: 'short and stout',
        details: { name: 'pot', causes: [{ field: 'spout' }] },
      },
      {
        code: 418,
        reason: 'Teapot',
        message: `${message}: short and stout`,
        details: { name: 'pot', causes: [{ field: 'spout' }] },
      },
    ],
    ['calls it success', { code: 200, status: 'Success', message: 'fine' }, { code: 400, message: `${message}: fine` }],
  ])('and %s', async (_what, status, expected) => {
    for (const kind of ['mutating', 'validating'] as const) {
      const { answer, where } = await createPast(kind, () => ({ allowed: false, status }));
      const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...expected };
      expect(answer).toMatchObject({ status: expected.code });
      expect(answer.body).toEqual(body);
      expect((await http('GET', `${configMaps(where)}/a`)).status).toBe(404);
    }
  });

  it('an update or a delete leaves the object as it is', async () => {
    const where = await namespace();
    await http('POST', configMaps(where), { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
    await scene.one('validating', where, () => ({ allowed: false }));
    const patch = { body: { data: { k: 'w' } }, contentType: 'application/merge-patch+json' };
    expect((await http('PATCH', `${configMaps(where)}/a`, patch)).status).toBe(400);
    expect((await http('DELETE', `${configMaps(where)}/a`)).status).toBe(400);
    expect((await http('DELETE', configMaps(where))).status).toBe(400);
    expect((await http('GET', `${configMaps(where)}/a`)).body).toMatchObject({ data: { k: 'v' } });
  });

  it('is heard by whoever asks for a dry run, with its answer to that', async () => {
    const { answer, path } = await createPast('validating', () => ({ allowed: false }), { query: '?dryRun=All' });
    expect(answer.status).toBe(400);
    expect(scene.webhooks.reviews(path)).toMatchObject([{ dryRun: true, options: { dryRun: ['All'] } }]);
  });
});

describe('warnings of webhooks', () => {
  it('are in the headers of the answer, each once', async () => {
    const where = await namespace();
    await scene.one('mutating', where, () => ({ allowed: true, warnings: ['first', 'say "no"'] }));
    await scene.one('validating', where, () => ({ allowed: true, warnings: ['first', 'last', ''] }));
    const answer = await http('POST', configMaps(where), { body: { metadata: { name: 'a' } } });
    expect(answer.status).toBe(201);
    expect(warningsOf(answer)).toEqual(['first', 'say \\"no\\"', 'last']);
    const gone = await http('DELETE', `${configMaps(where)}/a`);
    expect(warningsOf(gone)).toEqual(['first', 'say \\"no\\"', 'last']);
  });

  it('come with a refusal as well', async () => {
    const { answer } = await createPast('validating', () => ({ allowed: false, warnings: ['careful'] }));
    expect(answer.status).toBe(400);
    expect(warningsOf(answer)).toEqual(['careful']);
  });
});

describe('a patch of a mutating webhook', () => {
  it('changes what is stored, and what is asked next', async () => {
    const { answer, where } = await createPast('mutating', () =>
      patched(
        { op: 'add', path: '/metadata/labels', value: { by: 'webhook' } },
        { op: 'replace', path: '/data/k', value: 'w' },
        { op: 'test', path: '/data/k', value: 'w' },
      ),
    );
    expect(answer.status).toBe(201);
    const expected = { metadata: { labels: { by: 'webhook' } }, data: { k: 'w' } };
    expect(answer.body).toMatchObject(expected);
    expect((await http('GET', `${configMaps(where)}/a`)).body).toMatchObject(expected);
  });

  it('is validated with the rest of the object', async () => {
    const { answer } = await createPast('mutating', () =>
      patched({ op: 'add', path: '/metadata/labels', value: { 'a b': 'x' } }),
    );
    expect(answer).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ field: 'metadata.labels' }] } },
    });
  });

  it('cannot write what is the server’s', async () => {
    const { answer } = await createPast('mutating', () =>
      patched(
        { op: 'add', path: '/metadata/uid', value: 'mine' },
        { op: 'add', path: '/metadata/deletionTimestamp', value: '2020-01-01T00:00:00Z' },
      ),
    );
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toMatchObject({ metadata: { uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string } });
  });

  it('loses fields that the kind does not have', async () => {
    const { answer } = await createPast('mutating', () => patched({ op: 'add', path: '/nosuch', value: 1 }));
    expect(answer.status).toBe(201);
    expect(answer.body).not.toHaveProperty('nosuch');
  });

  it('of a dry run is in the answer and nowhere else', async () => {
    const { answer, where } = await createPast(
      'mutating',
      () => patched({ op: 'replace', path: '/data/k', value: 'w' }),
      { query: '?dryRun=All' },
    );
    expect(answer.body).toMatchObject({ data: { k: 'w' } });
    expect((await http('GET', `${configMaps(where)}/a`)).status).toBe(404);
  });

  it('that does not fit the object fails the request, whatever the policy', async () => {
    const { answer } = await createPast('mutating', () => patched({ op: 'remove', path: '/data/nosuch' }), {
      failurePolicy: 'Ignore',
    });
    expect(answer).toMatchObject({ status: 500, body: { reason: 'InternalError' } });
  });

  it('of what is to be deleted is refused', async () => {
    const where = await namespace();
    await http('POST', configMaps(where), { body: { metadata: { name: 'a' } } });
    const path = scene.webhooks.answer(() => patched({ op: 'add', path: '/data', value: {} }));
    await install('mutating', where, [webhook(where, path, { name: 'judge.test.io' })]);
    expect(await http('DELETE', `${configMaps(where)}/a`)).toMatchObject(
      failure(
        'admission webhook "judge.test.io" attempted to modify the object, which is not supported for this operation',
      ),
    );
  });
});

describe('an answer that makes no sense', () => {
  const invalid = (problem: string) =>
    failure(`failed calling webhook "judge.test.io": received invalid webhook response: ${problem}`);

  it.each<[string, 'mutating' | 'validating', Record<string, unknown>, (uid: string) => string]>([
    [
      'the uid of another',
      'validating',
      { uid: 'x', allowed: true },
      (uid) => `expected response.uid="${uid}", got "x"`,
    ],
  ])('%s fails the request', async (_what, kind, response, problem) => {
    const { answer, path } = await createPast(kind, () => response);
    expect(answer).toMatchObject(invalid(problem(scene.webhooks.reviews(path)[0]?.uid ?? '')));
  });

  it('nothing at all fails the request', async () => {
    const { answer } = await createPast('validating', (_request, response) => {
      response
        .setHeader('content-type', 'application/json')
        .end('{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}');
      return undefined;
    });
    expect(answer).toMatchObject(invalid('webhook response was absent'));
  });

  it('an object of another kind fails the request', async () => {
    const { answer } = await createPast('validating', (request, response) => {
      const body = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: request.uid } };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
      return undefined;
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'admission webhook "judge.test.io" denied the request without explanation' },
    });
  });

  it.each([500, 404, 503, 400])('status %i fails the request', async (status) => {
    const { answer } = await createPast('validating', (_request, response) => {
      response.writeHead(status, { 'content-type': 'text/plain' }).end('no');
      return undefined;
    });
    expect(answer).toMatchObject(uncalled());
  });

  it('of one whose failures are ignored counts as none', async () => {
    for (const kind of ['mutating', 'validating'] as const) {
      const { answer, path } = await createPast(kind, () => ({ uid: 'x', allowed: false }), {
        failurePolicy: 'Ignore',
      });
      expect(answer.status).toBe(201);
      expect(scene.webhooks.reviews(path)).toHaveLength(1);
    }
  });

  it('does not turn a refusal into consent, whatever the policy', async () => {
    const { answer } = await createPast('validating', () => ({ allowed: false }), { failurePolicy: 'Ignore' });
    expect(answer.status).toBe(400);
  });
});

describe('a webhook that cannot be reached', () => {
  const closedPort = async (): Promise<number> => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    await once(server.close(), 'close');
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric address');
    return address.port;
  };

  it('fails the request where nobody listens', async () => {
    const port = await closedPort();
    const url = `https://127.0.0.1:${port}/judge`;
    const { answer } = await createPast('validating', () => undefined, { clientConfig: { url } });
    expect(answer).toMatchObject(uncalled(url));
  });

  it('is passed over where its failures are ignored', async () => {
    const clientConfig = { url: `https://127.0.0.1:${await closedPort()}/judge` };
    for (const kind of ['mutating', 'validating'] as const) {
      const { answer } = await createPast(kind, () => undefined, { clientConfig, failurePolicy: 'Ignore' });
      expect(answer.status).toBe(201);
    }
  });

  it('fails the request where its certificate is of another authority', async () => {
    const { ca } = await issueServerCertificate({ names: ['somebody.else'], now: Date.now() });
    const url = `https://127.0.0.1:${scene.webhooks.port}/judge`;
    const clientConfig = { url, caBundle: Buffer.from(ca).toString('base64') };
    const { answer } = await createPast('validating', () => undefined, { clientConfig });
    expect(answer).toMatchObject(uncalled(url));
  });

  it('fails the request when its time is over', async () => {
    const { answer, path } = await createPast('validating', () => new Promise(() => undefined), { timeoutSeconds: 1 });
    const url = `https://127.0.0.1:${scene.webhooks.port}${path}?timeout=1s`;
    expect(answer).toMatchObject(
      failure(
        `failed calling webhook "judge.test.io": failed to call webhook: Post "${url}": context deadline exceeded`,
      ),
    );
    expect(scene.webhooks.urls(path)).toEqual([`${path}?timeout=1s`]);
  });

  it('fails the request where it hangs up', async () => {
    const { answer, path } = await createPast('validating', (_request, response) => {
      response.destroy();
      return undefined;
    });
    expect(answer).toMatchObject(uncalled(`https://127.0.0.1:${scene.webhooks.port}${path}`));
  });
});

describe('a webhook behind a Service', () => {
  it('is reached at its port, and known by its name', async () => {
    const where = await namespace();
    const name = unique('hook');
    const server = await WebhookServer.start(`${name}.${where}.svc`);
    await http('POST', `/api/v1/namespaces/${where}/services`, {
      body: { metadata: { name }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } },
    });
    const path = server.answer(() => ({ allowed: false, status: { message: 'found' } }));
    const clientConfig = { caBundle: server.caBundle, service: { name, namespace: where, port: server.port, path } };
    await install('validating', where, [webhook(where, path, { clientConfig })]);
    const answer = await http('POST', configMaps(where), { body: { metadata: { name: 'a' } } });
    await server.close();
    expect(answer.body).toMatchObject({ message: expect.stringMatching(/denied the request: found$/) as string });
    expect(server.urls(path)).toEqual([`${path}?timeout=10s`]);
  });

  it('fails the request where its certificate is for another name', async () => {
    const where = await namespace();
    const name = unique('hook');
    await http('POST', `/api/v1/namespaces/${where}/services`, {
      body: { metadata: { name }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } },
    });
    const { port, caBundle } = scene.webhooks;
    const clientConfig = { caBundle, service: { name, namespace: where, port } };
    await install('validating', where, [webhook(where, '/', { name: 'judge.test.io', clientConfig })]);
    const answer = await http('POST', configMaps(where), { body: { metadata: { name: 'a' } } });
    expect(answer).toMatchObject(uncalled(`https://${name}.${where}.svc:${port}/`));
  });

  it('fails the request where there is no such Service', async () => {
    const { answer, where } = await createPast('validating', () => undefined, {
      clientConfig: { service: { name: 'nobody', namespace: 'default', path: '/judge' } },
    });
    expect(where).not.toBe('');
    expect(answer).toMatchObject(
      failure(
        'failed calling webhook "judge.test.io": failed to call webhook: Post "https://nobody.default.svc:443/judge?timeout=10s": service "nobody" not found',
      ),
    );
  });
});
