import { once } from 'node:events';
import { Server as HttpsServer } from 'node:https';
import tls, { Server as TlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { echo, httpsBench } from '../testing/https-bench.ts';
import { answered, rest, selfSigned } from '../testing/index.ts';

const bench = httpsBench();

/** Longer than a test. */
const NO_REST = { rest: 60_000 };

let made: Mock;
let closed: Mock;

beforeEach(() => {
  made = vi.spyOn(TlsServer.prototype, 'setSecureContext');
  closed = vi.spyOn(HttpsServer.prototype, 'close');
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function released(): Promise<void> {
  await vi.waitFor(() => {
    expect(closed).toHaveBeenCalledOnce();
  });
  made.mockClear();
  closed.mockClear();
}

/** What a client of plain HTTP on the TLS port gets. */
async function redirected(): Promise<string> {
  const socket = await bench.plain();
  const answer = rest(socket);
  socket.write('GET /redfish HTTP/1.1\r\nHost: bmc\r\nConnection: close\r\n\r\n');
  return await answer;
}

describe('the TLS context of an endpoint', () => {
  it('is not made for a certificate, which is only verified, nor for plain HTTP, as self-checks send it', async () => {
    const { createSecureContext } = tls;
    let freed: Mock<() => void> | undefined;
    vi.spyOn(tls, 'createSecureContext').mockImplementationOnce((options) => {
      const verified = createSecureContext(options);
      freed = vi.spyOn(verified.context as { close: () => void }, 'close');
      return verified;
    });
    await bench.start(echo);
    expect(freed).toHaveBeenCalledOnce();
    expect(await redirected()).toMatch(/^HTTP\/1\.1 308 /);
    expect(made).not.toHaveBeenCalled();
  });

  it('is freed without clients, and a client that returns resumes its TLS session', async () => {
    await bench.start(echo, { rest: 10 });
    const visit = async (session?: Buffer): Promise<{ session: Buffer; isResumed: boolean }> => {
      const socket = await bench.tls(session === undefined ? {} : { session });
      const [ticket = session] = session === undefined ? ((await once(socket, 'session')) as [Buffer]) : [];
      const isResumed = socket.isSessionReused();
      const gone = once(socket, 'close');
      socket.end();
      await gone;
      return { session: ticket ?? Buffer.alloc(0), isResumed };
    };
    const first = await visit();
    await released();
    const second = await visit(first.session);
    expect([first.isResumed, second.isResumed]).toEqual([false, true]);
  });

  it('is freed with its server', async () => {
    await bench.start(echo, NO_REST);
    await answered(await bench.tls());
    const [server] = made.mock.contexts as [{ _sharedCreds: { context: { close: () => void } } }];
    const freed = vi.spyOn(server._sharedCreds.context, 'close');
    await bench.endpoint.close();
    expect(freed).toHaveBeenCalledOnce();
  });

  it('is of the newest valid certificate', async () => {
    const second = await selfSigned('second');
    await bench.start(echo);
    bench.endpoint.setCertificate(second);
    expect(() => {
      bench.endpoint.setCertificate({ key: bench.certificate.key, cert: second.cert });
    }).toThrow();
    expect((await bench.tls()).getPeerCertificate().subject.CN).toBe('second');
  });
});
