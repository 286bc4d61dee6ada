import { createServer, type AddressInfo } from 'node:net';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { watchContainer } from './container-probes.ts';
import type { Probe } from './probe.ts';

/** A port that refused a connection just now, since what listened there has closed. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const stop: AbortController[] = [];
afterEach(() => {
  for (const controller of stop.splice(0)) controller.abort();
});

/** Watches a container from its start, and gathers what it is told. */
function watched(kind: 'startupProbe' | 'livenessProbe', probe: Probe): { clock: FakeClock; told: string[] } {
  const clock = new FakeClock();
  const told: string[] = [];
  const end = new AbortController();
  stop.push(end);
  watchContainer({
    container: { name: 'agent', [kind]: probe },
    target: { podIp: '127.0.0.1', ports: new Map() },
    clock,
    signal: end.signal,
    onStarted: () => undefined,
    onReady: () => undefined,
    onUnhealthy: (which, failure) => told.push(`${which} ${/E[A-Z]+/.exec(failure)?.[0] ?? failure}`),
    onGivenUp: (which) => told.push(`${which} given up`),
  });
  return { clock, told };
}

/** Gives a probe that is under way the time to fail, a tenth of a second of the clock's at a time. */
async function pass(clock: FakeClock, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 100) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    await clock.advance(100);
  }
}

describe('the startup probe', () => {
  it('says nothing of a connection that is refused in the first second, and counts it', async () => {
    const probe = { tcpSocket: { port: await closedPort() }, periodSeconds: 0.4, failureThreshold: 4 };
    const { clock, told } = watched('startupProbe', probe);
    await pass(clock, 900);
    expect(told).toEqual([]);
    await pass(clock, 900);
    expect(told).toEqual(['Startup ECONNREFUSED', 'Startup given up']);
  });

  it('says at once what else is wrong', async () => {
    const { clock, told } = watched('startupProbe', { tcpSocket: { port: 'none' } });
    await pass(clock, 100);
    expect(told).toEqual(["Startup couldn't find port none"]);
  });
});

describe('the liveness probe', () => {
  it('says at once that a connection is refused', async () => {
    const probe = { tcpSocket: { port: await closedPort() }, initialDelaySeconds: 0 };
    const { clock, told } = watched('livenessProbe', probe);
    await pass(clock, 100);
    expect(told).toEqual(['Liveness ECONNREFUSED']);
  });
});
