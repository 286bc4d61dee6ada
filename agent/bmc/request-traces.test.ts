import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Transport, TransportRequest } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { RequestTraces } from './request-traces.ts';
import { tracedCalls } from './traced-calls.ts';

const START = '/apis/subresources.kubevirt.io/v1/namespaces/vms/virtualmachines/web/start';

it('gives each request an ID of its own, across waits and beside other requests', async () => {
  const traces = new RequestTraces('p');
  const seen = await Promise.all(
    [3, 1].map((delay) =>
      traces.begin(async ({ id }) => {
        await setTimeout(delay);
        return [id, traces.current?.id, traces.fields.request];
      }),
    ),
  );
  expect(seen).toEqual([Array(3).fill('p-1'), Array(3).fill('p-2')]);
});

it('gives no ID to code that works for no request, or goes on after the answer', () => {
  const traces = new RequestTraces('p');
  expect(traces.fields).toEqual({});
  traces.begin((trace) => {
    trace.end();
    expect(traces.fields).toEqual({});
  });
});

it('gives an ID to a brief request while it is handled, and none to what it begins', async () => {
  const traces = new RequestTraces('p');
  const later = traces.beginBrief(() => {
    expect(traces.current?.id).toBe('p-1');
    return setTimeout(1).then(() => traces.current);
  });
  expect(traces.current).toBeUndefined();
  await traces.begin(async () => {
    expect(await later).toBeUndefined();
    expect(traces.current?.id).toBe('p-2');
  });
  expect(() =>
    traces.beginBrief(() => {
      throw new Error('failed');
    }),
  ).toThrow('failed');
  expect(traces.current).toBeUndefined();
});

it('binds work to a brief request, with all that it begins, until the answer', async () => {
  const traces = new RequestTraces('p');
  const { trace, currentOf, bound } = traces.beginBrief((begun) => ({
    trace: begun,
    currentOf: traces.bind(() => traces.current),
    bound: traces.bind(async (wait: number) => {
      await setTimeout(wait);
      return traces.current?.id;
    }),
  }));
  const seen = await traces.beginBrief((other) => {
    expect(other.id).toBe('p-1');
    expect(currentOf()).toBe(trace);
    expect(traces.current).toBe(other);
    return bound(1);
  });
  expect(seen).toBe(trace.id);
  trace.end();
  expect(await bound(1)).toBeUndefined();
  expect(traces.bind(() => traces.current)()).toBeUndefined();
});

it('makes no ID for a request that nobody follows', () => {
  const traces = new RequestTraces('p');
  for (let i = 0; i < 5; i += 1) {
    traces.begin((trace) => {
      trace.end();
    });
  }
  expect(traces.begin(({ id }) => id)).toBe('p-1');
});

it('sends an audit ID of its own with each call to the API server, and logs the calls to KubeVirt', async () => {
  const sent: TransportRequest[] = [];
  const lines: unknown[] = [];
  const inner: Transport = {
    request: (request) => {
      sent.push(request);
      return Promise.resolve({ status: 202, headers: {}, body: (async function* () {})() });
    },
    close: () => Promise.resolve(),
  };
  const logger = { ...silentLogger, info: (...parts: unknown[]) => void lines.push(parts) };
  const traces = new RequestTraces('p');
  const transport = tracedCalls(inner, traces, logger, () => 0);
  await transport.request({ method: 'GET', path: '/version' });
  await traces.begin(async () => {
    await transport.request({ method: 'GET', path: '/api/v1/pods' });
    await transport.request({ method: 'PUT', path: `${START}?dryRun=All`, headers: { accept: 'any' } });
  });
  expect(sent.map(({ headers }) => headers)).toEqual([
    undefined,
    { 'audit-id': 'p-1-1' },
    { 'audit-id': 'p-1-2', accept: 'any' },
  ]);
  const fields = { audit: 'p-1-2', method: 'PUT', path: START, status: 202, ms: 0 };
  expect(lines).toEqual([[fields, 'the API server answered a call']]);
});
