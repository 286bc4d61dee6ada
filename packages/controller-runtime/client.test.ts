import { describe, expect, it } from 'vitest';
import { KubeClient } from './client.ts';
import { CONFIG_MAPS, LEASES, NODES } from './core.ts';
import { ApiError, isConflict, isGone, TransportError } from './errors.ts';
import { metadataOf } from './objects.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

const A = { namespace: 'default', name: 'a' };

/** A client whose server gives the same response to all requests, and the recorded requests. */
function answering(status: number, ...chunks: (string | Error)[]) {
  const requests: TransportRequest[] = [];
  const observed: [string, number][] = [];
  const transport: Transport = {
    request(request) {
      requests.push(request);
      return Promise.resolve({ status, headers: {}, body: stream(chunks) });
    },
    close: () => Promise.resolve(),
  };
  const client = new KubeClient({
    transport,
    fieldManager: 'tester',
    userAgent: 'tester/1',
    onResponse: (...response) => observed.push(response),
  });
  return { client, requests, observed };
}

async function* stream(chunks: readonly (string | Error)[]): AsyncGenerator<Uint8Array, void> {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield await Promise.resolve(Buffer.from(chunk));
  }
}

function watch(client: KubeClient, signal = new AbortController().signal) {
  return client.watch(CONFIG_MAPS, { resourceVersion: '5', timeoutSeconds: 60, signal });
}

describe('KubeClient', () => {
  it('builds paths for the core group, other groups and cluster-scoped kinds', async () => {
    const { client, requests } = answering(200, '{}');
    await client.get(CONFIG_MAPS, A);
    await client.get(LEASES, A);
    await client.get(NODES, { name: 'n' });
    expect(requests.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/default/configmaps/a',
      '/apis/coordination.k8s.io/v1/namespaces/default/leases/a',
      '/api/v1/nodes/n',
    ]);
    await expect(client.get(CONFIG_MAPS, { name: 'a' })).rejects.toThrow(TypeError);
  });

  it('sets apiVersion and kind of listed objects, which servers omit', async () => {
    const { client } = answering(200, '{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]}');
    const { items } = await client.list(CONFIG_MAPS, { namespace: 'default', signal: new AbortController().signal });
    expect(items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }]);
  });

  it('reads an empty list of metadata alone, which kube-apiserver writes as null', async () => {
    const { client } = answering(
      200,
      '{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"7"},"items":null}',
    );
    expect((await client.list(metadataOf(CONFIG_MAPS), { namespace: 'default' })).items).toEqual([]);
  });

  it('asks before each write of a fenced client, and sends nothing if that throws', async () => {
    const { client, requests } = answering(200, '{}');
    const fenced = client.fenced(() => {
      throw new Error('not the leader');
    });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: A };
    await expect(fenced.create(CONFIG_MAPS, object)).rejects.toThrow('not the leader');
    await expect(fenced.delete(CONFIG_MAPS, A)).rejects.toThrow('not the leader');
    await fenced.get(CONFIG_MAPS, A);
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
    await client.create(CONFIG_MAPS, object);
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('applies with its field manager, by name', async () => {
    const { client, requests } = answering(200, '{}');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: A, data: { key: 'value' } };
    await client.apply(CONFIG_MAPS, object, { force: true, subresource: 'status' });
    expect(requests[0]).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/default/configmaps/a/status?fieldManager=tester&force=true&fieldValidation=Ignore',
      headers: { 'content-type': 'application/apply-patch+yaml', 'user-agent': 'tester/1' },
    });
  });

  it('accepts JSON first and then any type, as client-go does, unless the request sets Accept', async () => {
    const { client, requests } = answering(200, '{}');
    await client.get(CONFIG_MAPS, A);
    await client.request({ method: 'PUT', path: '/x' });
    await client.request({ method: 'GET', path: '/x', headers: { accept: 'image/png' } });
    for await (const _event of watch(client));
    expect(requests.map(({ headers }) => headers?.['accept'])).toEqual([
      'application/json, */*',
      'application/json, */*',
      'image/png',
      'application/json, */*',
    ]);
  });

  it('throws ApiError with the status, reason and message of the server', async () => {
    const refused = answering(
      409,
      '{"kind":"Status","apiVersion":"v1","reason":"Conflict","message":"the object has been modified"}',
    );
    const error: unknown = await refused.client.get(CONFIG_MAPS, A).catch((reason: unknown) => reason);
    expect(isConflict(error)).toBe(true);
    expect(error).toMatchObject({ status: 409, serverMessage: 'the object has been modified' });
    expect(refused.observed).toEqual([['GET', 409]]);
    await expect(answering(410, 'old').client.get(CONFIG_MAPS, A)).rejects.toSatisfy(isGone);
  });

  it('deletes a missing object without an error', async () => {
    expect(await answering(404, 'no').client.delete(CONFIG_MAPS, A)).toBe(false);
    expect(await answering(200, '{}').client.delete(CONFIG_MAPS, A)).toBe(true);
  });

  it('throws TransportError when a body breaks: of a response, an error response or a watch', async () => {
    const reset = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    const failure = /^GET .*: ECONNRESET aborted$/;
    const broken = [
      answering(200, '{"meta', reset).client.get(CONFIG_MAPS, A),
      answering(500, '{"kind', reset).client.get(CONFIG_MAPS, A),
      watch(answering(200, '{"type', reset).client).next(),
    ];
    for (const result of broken) {
      const error: unknown = await result.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ message: expect.stringMatching(failure) as string, cause: reset });
    }
  });

  it('throws TransportError if a response is not JSON', async () => {
    await expect(answering(200, '<html>').client.get(CONFIG_MAPS, A)).rejects.toThrow(/not JSON/);
    await expect(watch(answering(200, '<html>\n').client).next()).rejects.toThrow(TransportError);
  });

  it('throws the abort reason if the caller aborted', async () => {
    const stop = new AbortController();
    stop.abort();
    const mine = new Error('mine');
    await expect(watch(answering(200, mine).client, stop.signal).next()).rejects.toBe(mine);
  });

  it('yields watch events, including ERROR, until the server ends the watch', async () => {
    const status = { kind: 'Status', apiVersion: 'v1', code: 410 };
    const { client, requests } = answering(
      200,
      '{"type":"ADDED","object":{}}\n{"type":"ERROR",',
      `"object":${JSON.stringify(status)}}\n`,
    );
    const events: unknown[] = [];
    for await (const event of watch(client)) events.push(event);
    expect(events).toEqual([
      { type: 'ADDED', object: {} },
      { type: 'ERROR', object: status },
    ]);
    expect(requests[0]?.path).toBe(
      '/api/v1/configmaps?resourceVersion=5&timeoutSeconds=60&watch=true&allowWatchBookmarks=true',
    );
  });

  it('returns JSON, text or undefined for other requests', async () => {
    const ask = (...chunks: string[]) => answering(202, ...chunks).client.request({ method: 'PUT', path: '/x' });
    expect([await ask('{"a":1}'), await ask('ok'), await ask()]).toEqual([{ a: 1 }, 'ok', undefined]);
  });

  it('returns the bytes of a body as they are, up to a limit', async () => {
    const bytes = (limit: number) => answering(200, 'ab', 'cd').client.bytes({ path: '/x' }, limit);
    expect(await bytes(4)).toEqual(Buffer.from('abcd'));
    await expect(bytes(3)).rejects.toThrow(new TransportError('GET /x: the answer has more than 3 bytes'));
  });

  it('throws ApiError with the Retry-After of a server that is overloaded', async () => {
    const body = (text: string) => stream([text]);
    const status = '{"kind":"Status","apiVersion":"v1","code":429,"details":{"retryAfterSeconds":3}}';
    const asked = async (headers: TransportResponse['headers'], text: string) => {
      const transport = { request: () => Promise.resolve({ status: 429, headers, body: body(text) }), close };
      const client = new KubeClient({ transport, fieldManager: 'tester' });
      const error: unknown = await client.request({ method: 'PUT', path: '/x' }).catch((thrown: unknown) => thrown);
      return error instanceof ApiError ? error.retryAfterSeconds : error;
    };
    const close = () => Promise.resolve();
    expect(await asked({ 'retry-after': '2' }, 'Too many requests, please try again later.')).toBe(2);
    expect(await asked({}, status)).toBe(3);
    expect(await asked({ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, 'no')).toBeUndefined();
  });

  it('throws ApiError with the status for a plain-text error', () => {
    const error = new ApiError('GET /x', 503, ' starting up \n');
    expect([error.message, error.serverMessage, error.reason]).toEqual([
      'GET /x: 503 starting up',
      'GET /x: 503 starting up',
      '',
    ]);
  });
});
