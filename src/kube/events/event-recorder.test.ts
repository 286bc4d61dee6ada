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
  // Nothing but Events is written to this API.
  const events = (): Event[] => [...api.objects.values()] as Event[];
  return { api, clock, recorder, events };
}

describe('EventRecorder', () => {
  it('writes an Event as kubectl describe shows it', async () => {
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

  it('counts up what happens again', async () => {
    const { clock, recorder, events } = setUp();
    for (let i = 0; i < 3; i += 1) {
      recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
      await clock.advance(60_000);
    }
    await recorder.flush();
    expect(events().map(({ count, lastTimestamp }) => [count, lastTimestamp])).toEqual([[3, '2026-01-01T00:02:00Z']]);
  });

  it('begins anew when the API server has forgotten the Event', async () => {
    const { api, recorder, events } = setUp();
    recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
    await recorder.flush();
    for (const path of api.objects.keys()) api.delete(path);
    recorder.event(object(), 'Normal', 'PowerOn', 'by admin');
    await recorder.flush();
    expect(events().map(({ count }) => count)).toEqual([1]);
  });

  it('combines more than ten messages of one reason', async () => {
    const { recorder, events } = setUp();
    for (let i = 0; i < 20; i += 1) recorder.event(object(), 'Warning', 'LoginFailed', `from 10.0.0.${i}`);
    await recorder.flush();
    expect(events()).toHaveLength(10);
    expect(events().at(-1)).toMatchObject({ count: 11, message: '(combined from similar events): from 10.0.0.19' });
  });

  it('writes 25 Events of one object at once, then one in 5 minutes; others are not affected', async () => {
    const { clock, recorder, events } = setUp();
    const counts = (): number => events().reduce((sum, { count = 0 }) => sum + count, 0);
    const flood = async (): Promise<void> => {
      for (let i = 0; i < 100; i += 1) recorder.event(object(), 'Normal', 'Flood', 'again');
      await recorder.flush();
    };
    await flood();
    expect(counts()).toBe(25);
    await clock.advance(10 * 60_000);
    await flood();
    expect(counts()).toBe(27);
    recorder.event(object('other'), 'Normal', 'Flood', 'again');
    await recorder.flush();
    expect(counts()).toBe(28);
  });

  it('puts Events of objects without a namespace into default, and fits names and messages into their limits', async () => {
    const { recorder, events } = setUp();
    recorder.event(object('n'.repeat(253), ''), 'Normal', 'Reason', 'ü'.repeat(1000));
    await recorder.flush();
    const [event] = events();
    expect(event?.metadata.namespace).toBe('default');
    expect(event?.metadata.name).toHaveLength(253);
    expect(event?.message).toBe('ü'.repeat(510));
  });

  it('tries again while the API server is away, and writes once', async () => {
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

  it('drops what the API server refuses, and goes on', async () => {
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

  it('flushes without waiting for an API server that is away', async () => {
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
