import { setImmediate as settled } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../context.ts';
import type { StoredSubscription } from '../state.ts';
import { aSubscription, FakeBmc } from '../testing/index.ts';
import { createEventHub, type Hub } from './hub.ts';
import { ListenerRefusal, type Posting } from './post-event.ts';

const EVENT: ServiceEvent = {
  messageId: 'ResourceEvent.1.4.ResourceChanged',
  message: 'm',
  messageArgs: [],
  severity: 'OK',
};

describe('events for several listeners', () => {
  let bmc: FakeBmc;
  let hub: Hub;
  let sent: Posting[];
  /** Behaviour of the listener of a subscription; other listeners accept everything. */
  let does: Record<string, () => Promise<void>>;

  beforeEach(() => {
    bmc = new FakeBmc();
    sent = [];
    does = {};
    hub = createEventHub(bmc.options, async (posting) => {
      sent.push(posting);
      await does[/listener-(\w+)/.exec(posting.destination)?.[1] ?? '']?.();
    });
  });
  afterEach(() => {
    hub.close();
  });

  const sentTo = (id: string): number =>
    sent.filter(({ destination }) => destination.includes(`listener-${id}.`)).length;
  const subscribe = (...subscriptions: StoredSubscription[]): Promise<void> =>
    bmc.state.change(() => ({ subscriptions }));

  it.each([
    ['does not answer', () => new Promise<void>(() => undefined)],
    ['waits for a retry', () => Promise.reject(new ListenerRefusal(500))],
  ])('reach the others while one listener %s', async (_what, slow) => {
    await subscribe(aSubscription('slow'), aSubscription('quick'));
    does['slow'] = slow;
    for (let count = 0; count < 5; count += 1) hub.publish(EVENT);
    await settled();
    expect([sentTo('slow'), sentTo('quick')]).toEqual([1, 5]);
  });

  it('are reported once as undelivered until they arrive again', async () => {
    await subscribe(aSubscription('1'));
    does['1'] = () => Promise.reject(new ListenerRefusal(500));
    hub.publish(EVENT);
    await settled();
    bmc.runScheduled();
    await settled();
    expect(sentTo('1')).toBe(2);
    expect(bmc.undelivered).toEqual(['listener-1.example The listener answered 500']);
    expect(hub.problemOf('1')).toEqual({ why: 'The listener answered 500', since: bmc.time });
    does['1'] = () => Promise.resolve();
    bmc.runScheduled();
    await settled();
    expect(hub.problemOf('1')).toBeUndefined();
  });

  it('end or suspend a subscription according to its policy after all retries, and report it', async () => {
    await bmc.state.change(() => ({ settings: { eventRetryAttempts: 0 } }));
    await subscribe(
      aSubscription('ends', { retryPolicy: 'TerminateAfterRetries' }),
      aSubscription('rests', { retryPolicy: 'SuspendRetries' }),
    );
    does['ends'] = does['rests'] = () => Promise.reject(new ListenerRefusal(500));
    const told: unknown[] = [];
    hub.publish(EVENT);
    const forget = hub.listen(({ event }) => told.push([event.messageId, event.origin]));
    await settled();
    forget();
    expect(told).toEqual([
      ['ResourceEvent.1.4.ResourceRemoved', '/redfish/v1/EventService/Subscriptions/ends'],
      ['ResourceEvent.1.4.ResourceChanged', '/redfish/v1/EventService/Subscriptions/rests'],
    ]);
    expect(bmc.state.current().subscriptions).toMatchObject([{ id: 'rests', isSuspended: true }]);
    expect(bmc.unsubscribed).toEqual(['listener-ends.example Terminated', 'listener-rests.example Suspended']);
    hub.publish(EVENT);
    await settled();
    expect([sentTo('ends'), sentTo('rests')]).toEqual([1, 1]);
    expect(hub.problemOf('ends')).toBeUndefined();
    expect(hub.problemOf('rests')).toBeDefined();
  });

  it('leave no state if the subscription is deleted during a delivery', async () => {
    await subscribe(aSubscription('1'));
    let refuse = (): void => undefined;
    does['1'] = () =>
      new Promise((_resolve, reject) => {
        refuse = () => {
          reject(new ListenerRefusal(500));
        };
      });
    hub.publish(EVENT);
    await settled();
    await subscribe();
    hub.publish(EVENT);
    refuse();
    await settled();
    expect([hub.problemOf('1'), bmc.undelivered]).toEqual([undefined, []]);
  });

  it('continue if the end of a subscription cannot be stored', async () => {
    const failures: unknown[] = [];
    bmc.options.observer = { ...bmc.options.observer, failed: (error) => void failures.push(error) };
    hub.close();
    hub = createEventHub(
      {
        ...bmc.options,
        state: { current: () => bmc.state.current(), change: () => Promise.reject(new Error('no store')) },
      },
      () => Promise.reject(new ListenerRefusal(500)),
    );
    await bmc.state.change(() => ({ settings: { eventRetryAttempts: 0 } }));
    await subscribe(aSubscription('1', { retryPolicy: 'SuspendRetries' }));
    hub.publish(EVENT);
    await settled();
    expect(failures).toEqual([new Error('no store')]);
  });

  it('are neither sent nor repeated after close', async () => {
    await subscribe(aSubscription('1'));
    does['1'] = () => Promise.reject(new ListenerRefusal(500));
    hub.publish(EVENT);
    await settled();
    hub.close();
    hub.publish(EVENT);
    bmc.runScheduled();
    await settled();
    expect(sentTo('1')).toBe(1);
  });
});

describe('event IDs', () => {
  it('increase across restarts, so that no listener takes a new event for a known one', async () => {
    const bmc = new FakeBmc();
    const ids: number[] = [];
    for (let process = 0; process < 2; process += 1) {
      const hub = createEventHub(bmc.options, () => Promise.resolve());
      hub.listen(({ id }) => ids.push(id));
      for (let count = 0; count < 3; count += 1) hub.publish(EVENT);
      hub.close();
      bmc.time += 1000;
    }
    await settled();
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(ids).toHaveLength(6);
  });

  it('replay all remembered events after a restart to a client of the previous process', () => {
    const bmc = new FakeBmc();
    const before = createEventHub(bmc.options, () => Promise.resolve());
    let last = 0;
    before.listen(({ id }) => (last = id));
    before.publish(EVENT);
    before.close();
    bmc.time += 1000;
    const hub = createEventHub(bmc.options, () => Promise.resolve());
    for (let count = 0; count < 100; count += 1) hub.publish(EVENT);
    const heard: number[] = [];
    hub.listen(({ id }) => heard.push(id), last);
    hub.close();
    expect(heard).toHaveLength(64);
  });
});
