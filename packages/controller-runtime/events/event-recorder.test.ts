import { describe, expect, it } from 'vitest';
import { KubeClient } from '../client.ts';
import type { Event } from '../core.ts';
import type { KubeObject } from '../objects.ts';
import { FakeClock, ScriptedApi, silentLogger } from '../testing/index.ts';
import { EventRecorder } from './event-recorder.ts';

function object(name = 'vm', namespace: string | undefined = 'default'): KubeObject {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, uid: `uid-${name}`, resourceVersion: '7', ...(namespace === '' ? {} : { namespace }) },
  };
}

function setUp() {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const recorder = new EventRecorder({
    client: new KubeClient({ transport: api, fieldManager: 'test' }),
    component: 'groundcrew-manager',
    instance: 'pod-0',
    clock,
    logger: silentLogger,
  });
  // Only Events are written to this API.
  const events = (): Event[] => [...api.objects.values()] as Event[];
  return { api, clock, recorder, events };
}

describe('EventRecorder', () => {
  it('writes an Event that kubectl describe shows', async () => {
    const { recorder, events } = setUp();
    recorder.event(object(), 'Warning', 'NoSuchSecret', 'Create Secret creds.');
    await recorder.flush();
    expect(events()).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: expect.objectContaining({ name: expect.stringMatching(/^vm\.[0-9a-f]{16}$/) as string }) as object,
        involvedObject: {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachine',
          namespace: 'default',
          name: 'vm',
          uid: 'uid-vm',
          resourceVersion: '7',
        },
        type: 'Warning',
        reason: 'NoSuchSecret',
        message: 'Create Secret creds.',
        count: 1,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        source: { component: 'groundcrew-manager' },
        reportingComponent: 'groundcrew-manager',
        reportingInstance: 'pod-0',
      },
    ]);
  });

  it('increases the count of a repeated Event', async () => {
    const { clock, recorder, events } = setUp();
    for (let i = 0; i < 3; i += 1) {
      recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
      await clock.advance(60_000);
    }
    await recorder.flush();
    expect(events().map(({ count, lastTimestamp }) => [count, lastTimestamp])).toEqual([[3, '2026-01-01T00:02:00Z']]);
  });

  it('has the annotations of the last occurrence', async () => {
    const { recorder, events } = setUp();
    for (const request of ['r-1', 'r-2']) {
      recorder.event(object(), 'Normal', 'PowerOn', 'by admin', { request });
      await recorder.flush();
    }
    expect(events().map(({ count, metadata }) => [count, metadata.annotations])).toEqual([[2, { request: 'r-2' }]]);
  });

  it('creates a new Event when the API server has deleted the old one', async () => {
    const { api, recorder, events } = setUp();
    recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
    await recorder.flush();
    for (const path of api.objects.keys()) api.delete(path);
    recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
    await recorder.flush();
    expect(events().map(({ count }) => count)).toEqual([1]);
  });

  it('combines more than ten messages of one reason, and gives one more its own Event after 5 minutes', async () => {
    const { clock, recorder, events } = setUp();
    for (let i = 0; i < 20; i += 1) recorder.event(object(), 'Warning', 'LoginFailed', `from 10.0.0.${i}`);
    await recorder.flush();
    expect(events()).toHaveLength(11);
    expect(events().at(-1)).toMatchObject({ count: 10, message: '(combined from similar events): from 10.0.0.19' });
    await clock.advance(5 * 60_000);
    for (let i = 20; i < 22; i += 1) recorder.event(object(), 'Warning', 'LoginFailed', `from 10.0.0.${i}`);
    await recorder.flush();
    expect(events().map(({ count, message }) => [count, message])).toContainEqual([1, 'from 10.0.0.20']);
    expect(events()).toContainEqual(
      expect.objectContaining({ count: 11, message: '(combined from similar events): from 10.0.0.21' }),
    );
  });

  it('writes a series immediately, and then once a second with the count and time of the last occurrence', async () => {
    const { api, clock, recorder, events } = setUp();
    const seen = (): unknown => events().map(({ count, lastTimestamp }) => [count, lastTimestamp]);
    for (let i = 0; i < 50; i += 1) {
      recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
      await clock.advance(100);
    }
    expect(api.requests.map((request) => request.split(' ')[0])).toEqual([
      'POST',
      ...Array.from({ length: 5 }, () => 'PATCH'),
    ]);
    expect(seen()).toEqual([[50, '2026-01-01T00:00:04Z']]);
    await clock.advance(2000);
    expect(api.requests).toHaveLength(6);
    expect(clock.timers).toBe(0);
  });

  it('flushes a count that waits for its next write', async () => {
    const { clock, recorder, events } = setUp();
    for (let i = 0; i < 3; i += 1) recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
    await recorder.flush();
    expect(events().map(({ count }) => count)).toEqual([3]);
    expect(clock.timers).toBe(0);
  });

  it('writes no faster if the API server refuses', async () => {
    const { api, clock, recorder } = setUp();
    api.intercept = () => ({ status: 403, body: 'forbidden' });
    for (let i = 0; i < 30; i += 1) {
      recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
      await clock.advance(100);
    }
    expect(api.requests.length).toBeLessThanOrEqual(4);
  });

  it('counts occurrences during an outage, and counts a write with a lost response once', async () => {
    const { api, clock, recorder, events } = setUp();
    api.intercept = ({ method, path, body = '' }) => {
      if (method !== 'POST') return undefined;
      const draft = JSON.parse(body) as Event;
      api.put(`${path.replace(/\?.*/, '')}/${draft.metadata.name}`, draft);
      api.intercept = () => undefined;
      throw new Error('socket hang up');
    };
    for (let i = 0; i < 4; i += 1) {
      recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
      await clock.advance(1000);
    }
    await clock.advance(10_000);
    expect(events().map(({ count, lastTimestamp }) => [count, lastTimestamp])).toEqual([[4, '2026-01-01T00:00:03Z']]);
  });

  it('limits pending Events during an outage and keeps the last action of an object', async () => {
    const { api, recorder, events } = setUp();
    let away = true;
    api.intercept = () => {
      if (away) throw new Error('connect ECONNREFUSED');
      return undefined;
    };
    for (let i = 0; i < 5000; i += 1) recorder.event(object(`vm-${i}`), 'Normal', 'PowerOn', 'by admin');
    away = false;
    await recorder.flush();
    // One series was being written.
    expect(events().length).toBeGreaterThanOrEqual(4000);
    expect(events().length).toBeLessThanOrEqual(4001);
    expect(events().at(-1)).toMatchObject({ involvedObject: { name: 'vm-4999' } });
  });

  it('writes Events of cluster-scoped objects to default and truncates long names and messages', async () => {
    const { recorder, events } = setUp();
    recorder.event(object('n'.repeat(253), ''), 'Normal', 'Reason', 'ü'.repeat(1000));
    await recorder.flush();
    const [event] = events();
    expect(event?.metadata.namespace).toBe('default');
    expect(event?.metadata.name).toHaveLength(253);
    expect(event?.message).toBe('ü'.repeat(510));
  });

  it('retries during an outage and writes once', async () => {
    const { api, clock, recorder, events } = setUp();
    api.intercept = () => {
      throw new Error('connect ECONNREFUSED');
    };
    recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
    await clock.advance(25_000);
    expect(api.requests).toHaveLength(3);
    api.intercept = () => undefined;
    await clock.advance(10_000);
    expect(events()).toHaveLength(1);
    expect(clock.timers).toBe(0);
  });

  it('drops an Event that the API server refuses, and continues', async () => {
    const { api, recorder, events } = setUp();
    api.intercept = () => ({ status: 403, body: 'forbidden' });
    recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
    await recorder.flush();
    expect(api.requests).toHaveLength(1);
    api.intercept = () => undefined;
    recorder.event(object(), 'Normal', 'PowerOff', 'by admin');
    await recorder.flush();
    expect(events()).toHaveLength(1);
  });

  it('flushes without waiting for an unreachable API server', async () => {
    const { api, clock, recorder } = setUp();
    api.intercept = () => {
      throw new Error('connect ECONNREFUSED');
    };
    for (let i = 0; i < 5; i += 1) recorder.event(object(), 'Normal', `Reason${i}`, 'x');
    await clock.advance(15_000);
    await recorder.flush();
    expect(clock.timers).toBe(0);
  });
});

describe('regression: one token bucket per object dropped the Events of power actions', () => {
  /** The newest action in the way `groundcrew status` finds it. */
  function newest(events: Event[], reasons: string[]): Event | undefined {
    return events
      .filter(({ reason = '' }) => reasons.includes(reason))
      .sort((a, b) => (b.lastTimestamp ?? '').localeCompare(a.lastTimestamp ?? ''))[0];
  }

  it('40 failed log-ins of a client do not suppress PowerOn and PowerCycle', async () => {
    const { clock, recorder, events } = setUp();
    for (let i = 0; i < 40; i += 1) recorder.event(object(), 'Warning', 'LoginFailed', 'from 10.0.0.9');
    for (let i = 0; i < 40; i += 1) recorder.event(object(), 'Warning', 'LoginFailed', `as user${i}`);
    recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
    recorder.event(object(), 'Normal', 'PowerCycle', 'by admin');
    await clock.advance(1000);
    const reasons = events().map(({ reason }) => reason);
    expect(reasons).toContain('PowerOn');
    expect(reasons).toContain('PowerCycle');
    const logins = events().filter(({ reason }) => reason === 'LoginFailed');
    expect(logins.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(80);
  });

  it('the newest of 100 identical actions is written within a second', async () => {
    const { clock, recorder, events } = setUp();
    const actions = ['PowerOn', 'PowerCycle'];
    for (let i = 0; i < 100; i += 1) {
      const reason = actions[i % 2] ?? '';
      await clock.advance(3000);
      recorder.event(object(), 'Normal', reason, 'by admin');
      const lastTimestamp = new Date(clock.now()).toISOString().replace('.000Z', 'Z');
      await clock.advance(1000);
      expect(newest(events(), actions)).toMatchObject({ reason, lastTimestamp });
    }
    expect(events().map(({ count }) => count)).toEqual([50, 50]);
  });

  it('the newest of 100 different actions is written within a second, in the combined Event', async () => {
    const { clock, recorder, events } = setUp();
    for (let i = 0; i < 100; i += 1) {
      recorder.event(object(), 'Normal', 'PowerOn', `by user${i}`);
      const lastTimestamp = new Date(clock.now()).toISOString().replace('.000Z', 'Z');
      await clock.advance(1000);
      expect(newest(events(), ['PowerOn'])).toMatchObject({
        message: expect.stringMatching(new RegExp(`by user${i}$`)) as string,
        lastTimestamp,
      });
    }
    expect(events()).toHaveLength(11);
  });
});
