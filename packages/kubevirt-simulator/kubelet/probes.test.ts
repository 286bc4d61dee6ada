import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Container } from './launch.ts';
import { runProbe, startProbes, type Probe } from './probes.ts';

let server: Server;
let port: number;
let status: number;
let end: AbortController;

beforeEach(async () => {
  status = 200;
  end = new AbortController();
  server = createServer((request, response) => {
    if (request.url !== '/hangs') response.writeHead(status).end('not yet');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  end.abort();
  server.closeAllConnections();
  server.close();
});

const target = () => ({ podIp: '127.0.0.1', ports: new Map([['health', port]]) });

describe('a probe', () => {
  const probe = (httpGet: Probe['httpGet'], timeoutSeconds = 1): Promise<string | undefined> =>
    runProbe({ httpGet, timeoutSeconds }, target(), end.signal);

  it('succeeds with an answer of 200, at a port by name or number', async () => {
    expect(await probe({ port: 'health' })).toBeUndefined();
    expect(await probe({ port })).toBeUndefined();
  });

  it('fails with the answer, after its timeout, without a listener and without a port', async () => {
    status = 503;
    expect(await probe({ port })).toBe('HTTP probe failed with statuscode: 503: not yet');
    expect(await probe({ path: '/hangs', port }, 0.1)).toBe(
      `Get "http://127.0.0.1:${port}/hangs": context deadline exceeded`,
    );
    expect(await probe({ port: 1 })).toMatch(/ECONNREFUSED/);
    expect(await probe({ port: 'none' })).toBe("couldn't find port none");
  });
});

describe('the probes of a container', () => {
  /** Probes a container, and collects the calls. */
  function probed(container: Partial<Container>): { clock: FakeClock; calls: string[] } {
    const clock = new FakeClock();
    const calls: string[] = [];
    startProbes({
      container: { name: 'agent', ...container },
      target: target(),
      clock,
      signal: end.signal,
      onStarted: () => calls.push('started'),
      onReady: (ready) => calls.push(`ready ${ready}`),
      onUnhealthy: (kind) => calls.push(`${kind} unhealthy`),
      onFailed: (kind) => calls.push(`${kind} failed`),
    });
    return { clock, calls };
  }

  /** Advances the clock in steps of 100 ms. A probe sets its next timer when it has its answer. */
  async function pass(clock: FakeClock, milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 100) {
      await expect.poll(() => clock.timers, { interval: 1 }).toBe(1);
      await clock.advance(100);
    }
  }

  it('fail at the failure threshold of the startup probe, without an event for a refused connection', async () => {
    const startupProbe = { httpGet: { port: 1 }, periodSeconds: 0.4, failureThreshold: 3 };
    const { clock, calls } = probed({ startupProbe });
    await pass(clock, 800);
    await clock.advance(100);
    await expect.poll(() => calls).toEqual(['Startup failed']);
    expect(clock.timers).toBe(0);
  });

  it('report a failed liveness probe', async () => {
    const { clock, calls } = probed({ livenessProbe: { httpGet: { port: 1 }, initialDelaySeconds: 0 } });
    await pass(clock, 200);
    expect(calls).toEqual(['started', 'ready true', 'Liveness unhealthy']);
  });

  it('report readiness at once, and its loss at the failure threshold', async () => {
    status = 503;
    const readinessProbe = { httpGet: { port }, periodSeconds: 1, failureThreshold: 2 };
    const { clock, calls } = probed({ startupProbe: { httpGet: { port: 'health' } }, readinessProbe });
    await pass(clock, 100);
    expect(calls).toEqual(['Startup unhealthy']);
    status = 200;
    await pass(clock, 10_200);
    expect(calls.slice(1)).toEqual(['started', 'ready true']);
    status = 503;
    await pass(clock, 2200);
    expect(calls.slice(3)).toEqual(['Readiness unhealthy', 'Readiness unhealthy', 'ready false']);
  });
});
