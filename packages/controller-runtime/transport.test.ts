import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CachedWatch } from './cache/cached-watch.ts';
import { KubeClient } from './client.ts';
import { systemClock } from './clock.ts';
import { CONFIG_MAPS, LEASES } from './core.ts';
import { TransportError } from './errors.ts';
import { serviceAccountConfig } from './service-account.ts';
import { silentLogger } from './testing/index.ts';
import { type Handler, LoopbackServer } from './testing/loopback-server.ts';
import { httpsTransport } from './transport-https.ts';
import { undiciTransport } from './transport-undici.ts';
import type { Transport, TransportOptions } from './transport.ts';

const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
const A = { namespace: 'default', name: 'a' };

const answer: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(OBJECT));
};

describe.each([
  ['httpsTransport', httpsTransport],
  ['undiciTransport', undiciTransport],
] as const)('%s', (_, make: (options: TransportOptions) => Transport) => {
  let handler: Handler;
  let server: LoopbackServer;
  let transport: Transport;
  let client: KubeClient;

  const connect = (options: Partial<TransportOptions> = {}): void => {
    transport = make({ server: server.url, ca: server.ca, ...options });
    client = new KubeClient({ transport, fieldManager: 'test' });
  };

  beforeEach(async () => {
    handler = answer;
    server = await LoopbackServer.start((request, response) => {
      handler(request, response);
    });
    connect();
  });

  afterEach(async () => {
    await transport.close();
    await server.close();
  });

  it('uses one connection for 200 sequential requests', async () => {
    for (let i = 0; i < 200; i += 1) expect(await client.get(CONFIG_MAPS, A)).toEqual(OBJECT);
    expect(server.connections).toBe(1);
  });

  it('keeps the connection after an error response', async () => {
    handler = (_, response) => {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"kind":"Status","apiVersion":"v1","reason":"NotFound","message":"gone"}');
    };
    for (let i = 0; i < 20; i += 1) expect(await client.find(CONFIG_MAPS, A)).toBeUndefined();
    expect(server.connections).toBe(1);
  });

  it("sends method, path with the server's prefix, headers and body", async () => {
    connect({ server: `${server.url}/k8s/clusters/one/`, headers: { 'impersonate-user': 'jane' }, token: 'secret' });
    let seen: unknown;
    handler = (request, response) => {
      void json(request).then((body) => {
        const { authorization, 'impersonate-user': user, 'content-type': type } = request.headers;
        seen = { method: request.method, url: request.url, authorization, user, type, body };
        answer(request, response);
      });
    };
    await client.patch(CONFIG_MAPS, A, 'merge', { data: { ü: '✓' } });
    expect(seen).toEqual({
      method: 'PATCH',
      url: '/k8s/clusters/one/api/v1/namespaces/default/configmaps/a?fieldManager=test',
      authorization: 'Bearer secret',
      user: 'jane',
      type: 'application/merge-patch+json',
      body: { data: { ü: '✓' } },
    });
  });

  it('uses a rotated token', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'service-account-'));
    try {
      writeFileSync(join(directory, 'ca.crt'), server.ca);
      writeFileSync(join(directory, 'namespace'), 'default');
      writeFileSync(join(directory, 'token'), 'first\n');
      const { hostname: host, port } = new URL(server.url);
      const config = serviceAccountConfig({ host, port, directory });
      connect(config);
      const tokens: (string | undefined)[] = [];
      handler = (request, response) => {
        tokens.push(request.headers.authorization);
        answer(request, response);
      };
      await client.get(CONFIG_MAPS, A);
      writeFileSync(join(directory, 'token'), 'second\n');
      await client.get(CONFIG_MAPS, A);
      rmSync(join(directory, 'token'));
      await client.get(CONFIG_MAPS, A);
      expect(config.namespace).toBe('default');
      expect(tokens).toEqual(['Bearer first', 'Bearer second', 'Bearer second']);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('rejects a server certificate signed by another CA', async () => {
    const other = await LoopbackServer.start(answer);
    connect({ ca: other.ca });
    await expect(client.get(CONFIG_MAPS, A)).rejects.toThrow(TransportError);
    connect({ ca: other.ca, insecureSkipVerify: true });
    await expect(client.get(CONFIG_MAPS, A)).resolves.toEqual(OBJECT);
    await other.close();
  });

  it('throws TransportError if no server listens or the response is truncated', async () => {
    handler = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"metadata":', () => response.destroy());
    };
    await expect(client.get(CONFIG_MAPS, A)).rejects.toThrow(TransportError);
    connect({ server: 'https://127.0.0.1:1' });
    await expect(client.get(CONFIG_MAPS, A)).rejects.toThrow(/GET .*ECONNREFUSED/);
  });

  it('repeats a GET if the server closed the kept-alive connection', async () => {
    await client.get(CONFIG_MAPS, A);
    handler = (request, response) => {
      handler = answer;
      request.socket.destroy();
      response.destroy();
    };
    expect(await client.get(CONFIG_MAPS, A)).toEqual(OBJECT);
  });

  it('fails a watch that is silent for the idle timeout', async () => {
    handler = (_, response) => {
      response.writeHead(200);
      response.write('{"type":"BOOKMARK","object":{"metadata":{}}}\n');
    };
    const events = client.watch(CONFIG_MAPS, {
      resourceVersion: '1',
      timeoutSeconds: 60,
      idleTimeout: 200,
      signal: new AbortController().signal,
    });
    expect((await events.next()).value).toMatchObject({ type: 'BOOKMARK' });
    await expect(events.next()).rejects.toThrow(TransportError);
    await gone(server);
  });

  it('closes the connection of an aborted watch, before and after its first event', async () => {
    handler = (_, response) => {
      response.writeHead(200);
      response.flushHeaders();
    };
    for (let i = 0; i < 5; i += 1) {
      const stop = new AbortController();
      const options = { resourceVersion: '1', timeoutSeconds: 60, signal: stop.signal, onOpen: () => undefined };
      const next = client.watch(CONFIG_MAPS, options).next();
      await pause(i * 10);
      stop.abort();
      await expect(next).rejects.toThrow();
    }
    await gone(server);
  });

  it('aborts a request without a response', async () => {
    handler = () => undefined;
    const stop = new AbortController();
    const { signal } = stop;
    const asking = [client.get(CONFIG_MAPS, A, { signal }), client.patch(CONFIG_MAPS, A, 'merge', {}, { signal })];
    await pause(50);
    stop.abort();
    for (const asked of asking) await expect(asked).rejects.not.toThrow(TransportError);
    await transport.close();
    await gone(server);
  });

  it('leaks no socket over 100 broken watches', async () => {
    let watches = 0;
    handler = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (!(request.url ?? '').includes('watch=true')) {
        response.end('{"metadata":{"resourceVersion":"1"},"items":[]}');
        return;
      }
      watches += 1;
      const object = { ...OBJECT, metadata: { ...OBJECT.metadata, resourceVersion: String(watches) } };
      response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`, () => {
        // Alternates between the server's timeout and the server's death.
        if (watches % 2 === 0) response.end();
        else response.destroy();
      });
    };
    const stop = new AbortController();
    const cache = new CachedWatch({
      client,
      kind: CONFIG_MAPS,
      clock: systemClock,
      random: () => 0,
      logger: silentLogger,
    });
    const running = cache.run(stop.signal);
    let most = 0;
    for (let i = 0; i < 1000 && watches < 100; i += 1) {
      most = Math.max(most, await server.open());
      await pause(5);
    }
    stop.abort();
    await running;
    expect(watches).toBeGreaterThanOrEqual(100);
    expect(most).toBeLessThanOrEqual(3);
    await transport.close();
    await gone(server);
  });
});

it('httpsTransport has a connection for urgent requests that no other one takes or ends', async () => {
  const ports = new Set<number | undefined>();
  const server = await LoopbackServer.start((request, response) => {
    if (!request.url?.includes('/leases/')) return;
    ports.add(request.socket.remotePort);
    answer(request, response);
  });
  const transport = httpsTransport({ server: server.url, ca: server.ca });
  // Its turn never comes.
  const inTurn = (): Promise<never> => new Promise(() => undefined);
  const client = new KubeClient({ transport, fieldManager: 'test' });
  const urgent = new KubeClient({ transport, fieldManager: 'test', inTurn }).urgent();
  try {
    for (let i = 0; i < 3; i += 1) {
      await urgent.get(LEASES, A);
      await expect(client.get(CONFIG_MAPS, A, { signal: AbortSignal.timeout(20) })).rejects.toThrow();
    }
    expect(ports.size).toBe(1);
  } finally {
    await transport.close();
    await server.close();
  }
});

it('httpsTransport keeps the connections of eight reads that were given up, and of no write', async () => {
  const waiting: (() => void)[] = [];
  const server = await LoopbackServer.start((request, response) => {
    waiting.push(() => {
      answer(request, response);
    });
  });
  const transport = httpsTransport({ server: server.url, ca: server.ca });
  const client = new KubeClient({ transport, fieldManager: 'test' });
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const asked = [
      ...Array.from({ length: 10 }, () => client.get(CONFIG_MAPS, A, { signal })),
      ...Array.from({ length: 4 }, () => client.patch(CONFIG_MAPS, A, 'merge', {}, { signal })),
    ];
    await expect.poll(() => waiting.length).toBe(14);
    stop.abort();
    for (const one of asked) await expect(one).rejects.toThrow();
    await expect.poll(() => server.open()).toBe(8);
    for (const end of waiting.splice(0)) end();
    // Each turn of the event loop reads what has arrived.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    const again = Array.from({ length: 8 }, () => client.get(CONFIG_MAPS, A));
    await expect.poll(() => waiting.length).toBe(8);
    for (const end of waiting) end();
    await Promise.all(again);
    expect(server.connections).toBe(14);
  } finally {
    await transport.close();
    await server.close();
  }
});

describe('httpsTransport with a server in another thread', () => {
  it('keeps the connection if the response arrives before the event that the request was sent', async () => {
    const answers = new Int32Array(new SharedArrayBuffer(4));
    const remote = new Worker(new URL('testing/loopback-worker.ts', import.meta.url), { workerData: answers.buffer });
    const [{ url, ca }] = (await once(remote, 'message')) as [{ url: string; ca: string }];
    const transport = httpsTransport({ server: url, ca });
    const client = new KubeClient({ transport, fieldManager: 'test' });
    const ask = () => client.request({ method: 'GET', path: '/' });
    try {
      await ask();
      for (let i = 0; i < 3; i += 1) {
        // In the timer phase of the event loop, responses are read before completed writes are reported.
        await pause(1);
        const before = Atomics.load(answers, 0);
        const asking = ask();
        for (let tick = 0; tick < 100; tick += 1) await nextTick();
        expect(Atomics.wait(answers, 0, before, 10_000)).not.toBe('timed-out');
        await asking;
        await ask();
      }
      remote.postMessage('connections');
      expect(await once(remote, 'message')).toEqual([1]);
    } finally {
      await transport.close();
      await remote.terminate();
    }
  });
});

/** Waits until the server has no open connection. */
async function gone(server: LoopbackServer): Promise<void> {
  for (let i = 0; i < 100 && (await server.open()) > 0; i += 1) await pause(20);
  expect(await server.open()).toBe(0);
}

async function nextTick(): Promise<void> {
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
}
