import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { makeAuthority, makeServerCertificate, type KeyPair } from '../authority/index.ts';
import { AdmissionServer } from './admission-server.ts';
import type { AdmissionAnswer, AdmissionRequest } from './review.ts';

interface Answer {
  status: number;
  body: string;
}

describe('the admission server', () => {
  let authority: KeyPair;
  let server: AdmissionServer;
  const seen: AdmissionRequest[] = [];
  const held = Promise.withResolvers<AdmissionAnswer>();

  beforeAll(async () => {
    authority = await makeAuthority({ name: 'test', lifetime: 86_400_000, now: Date.now() });
    server = new AdmissionServer({
      handle: (_phase, request) => {
        seen.push(request);
        if (request.name === 'boom') return Promise.reject(new Error('boom'));
        if (request.name === 'slow') return held.promise;
        return Promise.resolve({ warnings: ['take care'], patch: [{ op: 'add', path: '/a', value: 1 }] });
      },
      logger: silentLogger,
    });
    await server.serve({ host: '127.0.0.1', port: 0 }, await certificate());
  });
  afterAll(() => server.close());

  const certificate = () =>
    makeServerCertificate(authority, { names: ['127.0.0.1'], lifetime: 86_400_000, now: Date.now() });
  const post = (
    path: string,
    body: string | Buffer,
    { method = 'POST', type = 'application/json', agent }: { method?: string; type?: string; agent?: Agent } = {},
  ) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
      const target = { host: '127.0.0.1', port: server.port, ca: authority.cert };
      const options = { ...target, method, path, headers, agent: agent ?? false };
      const outgoing = httpsRequest(options, (response) => {
        resolve(text(response).then((body) => ({ status: response.statusCode ?? 0, body })));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  /** Sends `size` bytes of a body whose announced length is one byte more. */
  const hoard = (size: number) =>
    new Promise<{ answered: Promise<number | undefined>; end: () => void }>((resolve) => {
      const headers = { 'content-type': 'application/json', 'content-length': size + 1 };
      const target = { host: '127.0.0.1', port: server.port, ca: authority.cert, method: 'POST', path: '/validate' };
      const outgoing = httpsRequest({ ...target, headers, agent: false });
      const answered = new Promise<number | undefined>((tell) => {
        outgoing.on('response', ({ statusCode }) => {
          tell(statusCode);
        });
      });
      outgoing.on('error', () => undefined);
      const end = () => outgoing.destroy();
      // If the request is rejected early, the server does not read the rest.
      void answered.then(() => {
        resolve({ answered, end });
      });
      outgoing.write(Buffer.alloc(size, ' '), () => {
        resolve({ answered, end });
      });
    });
  const review = (request: object = {}) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      operation: 'CREATE',
      resource: { group: 'g', version: 'v1', resource: 'things' },
      namespace: 'default',
      name: 'x',
      object: { metadata: { name: 'x' } },
      oldObject: null,
      ...request,
    },
  });

  it('answers a review with the uid of its request', async () => {
    const { status, body } = await post('/mutate?timeout=5s', JSON.stringify(review()));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: {
        uid: 'u-1',
        allowed: true,
        warnings: ['take care'],
        patchType: 'JSONPatch',
        patch: Buffer.from('[{"op":"add","path":"/a","value":1}]').toString('base64'),
      },
    });
    expect(seen.at(-1)).toEqual({
      uid: 'u-1',
      resource: 'things',
      subResource: undefined,
      operation: 'CREATE',
      namespace: 'default',
      name: 'x',
      object: { metadata: { name: 'x' } },
      oldObject: undefined,
    });
  });

  it.each<[string, number, string, string, { method?: string; type?: string }]>([
    ['another path', 404, '/', '{}', {}],
    ['another method', 405, '/validate', '{}', { method: 'PUT' }],
    ['another type', 415, '/validate', '{}', { type: 'text/plain' }],
    ['nothing', 400, '/validate', '', {}],
    ['no review', 400, '/validate', '{"kind":"AdmissionReview"}', {}],
    [
      'a review of another version',
      400,
      '/validate',
      '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{}}',
      {},
    ],
  ])('gives a constant answer to %s', async (_what, status, path, body, options) => {
    const answer = await post(path, body, options);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatch(/^[\w ./]+\n$/);
  });

  it('rejects a body longer than two objects of maximum size', async () => {
    const answer = await post('/validate', Buffer.alloc(8 * 1024 * 1024, ' ')).catch(() => ({ status: 413 }));
    expect(answer.status).toBe(413);
  });

  it('limits the memory for bodies being read, and accepts reviews again when there is room', async () => {
    // Unfinished bodies of 7 MiB each, as in an attempt to exhaust the memory.
    const hoarders = await Promise.all(Array.from({ length: 9 }, () => hoard(7 * 1024 * 1024 - 1)));
    expect(await Promise.race(hoarders.map(({ answered }) => answered))).toBe(503);
    for (const { end } of hoarders) end();
    await expect.poll(async () => (await post('/validate', JSON.stringify(review()))).status).toBe(200);
  });

  it('gives constant answers to invalid input and continues to work', async () => {
    const known = new Set<string>();
    const agent = new Agent({ keepAlive: true });
    const some = fc.oneof(
      fc.json(),
      fc.string(),
      fc.object().map((value) => JSON.stringify(review(value))),
      fc
        .record({ uid: fc.jsonValue(), operation: fc.jsonValue(), resource: fc.jsonValue(), object: fc.jsonValue() })
        .map((value) => JSON.stringify(review(value))),
    );
    await fc.assert(
      fc.asyncProperty(some, async (body) => {
        const answer = await post('/validate', body, { agent });
        if (answer.status === 200) expect(JSON.parse(answer.body)).toMatchObject({ kind: 'AdmissionReview' });
        else known.add(`${answer.status} ${answer.body}`);
      }),
      { numRuns: 150 },
    );
    agent.destroy();
    expect([...known]).toEqual(['400 not an AdmissionReview of admission.k8s.io/v1 that asks\n']);
  });

  it('leaves a review that cannot be evaluated to the failure policy', async () => {
    const answer = await post('/validate', JSON.stringify(review({ name: 'boom' })));
    expect(answer).toEqual({ status: 500, body: 'could not be evaluated\n' });
  });

  it('closes a connection that does not speak TLS', async () => {
    const { connect: plain } = await import('node:net');
    await new Promise<void>((resolve) => {
      const socket = plain(server.port ?? 0, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n\r\n'));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        resolve();
      });
      socket.resume();
    });
    expect((await post('/validate', JSON.stringify(review()))).status).toBe(200);
  });

  it('uses a new certificate from the next handshake on', async () => {
    const next = await certificate();
    const shown = () =>
      new Promise<string>((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port: server.port ?? 0, ca: authority.cert }, () => {
          resolve(socket.getPeerX509Certificate()?.toString() ?? '');
          socket.destroy();
        });
        socket.on('error', reject);
      });
    const open = connect({ host: '127.0.0.1', port: server.port ?? 0, ca: authority.cert });
    await new Promise((resolve) => open.once('secureConnect', resolve));
    await server.serve({ host: '127.0.0.1', port: 0 }, next);
    expect((await shown()).trim()).toBe(next.cert.trim());
    expect(open.destroyed).toBe(false);
    open.destroy();
  });

  it('completes open requests before it closes and accepts no new ones', async () => {
    const answer = post('/validate', JSON.stringify(review({ name: 'slow' })));
    await expect.poll(() => seen.at(-1)?.name).toBe('slow');
    const closed = server.close();
    await expect(post('/validate', JSON.stringify(review()))).rejects.toThrow();
    held.resolve({ warnings: [] });
    expect((await answer).status).toBe(200);
    await closed;
  });
});
