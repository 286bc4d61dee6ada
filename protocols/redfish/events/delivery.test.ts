import { setImmediate as settled } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { aSubscription } from '../testing/index.ts';
import { Delivery, type DeliveryOptions } from './delivery.ts';
import { eventRecord } from './event-record.ts';
import type { Posting } from './post-event.ts';

const SUBSCRIPTION = aSubscription('1', {
  context: 'rack 7',
  httpHeaders: { 'X-Key': 'k' },
  retryPolicy: 'TerminateAfterRetries',
});

function record(id: number) {
  const event = {
    messageId: 'ResourceEvent.1.4.ResourceChanged',
    message: 'm',
    messageArgs: [],
    severity: 'OK',
  } as const;
  return eventRecord(id, 0, event);
}

/** A delivery whose listener accepts postings by `takes`, with timers that the test runs explicitly. */
function aDelivery(takes: (posting: Posting) => boolean, change: Partial<DeliveryOptions> = {}) {
  const posted: Posting[] = [];
  const exhausted: string[] = [];
  const timers: { work: () => void; delay: number }[] = [];
  const delivery = new Delivery({
    subscription: () => SUBSCRIPTION,
    retries: () => ({ attempts: 2, interval: 30 }),
    post: (posting) => {
      posted.push(posting);
      return takes(posting) ? Promise.resolve() : Promise.reject(new Error('no'));
    },
    tried: () => undefined,
    exhausted: (policy) => exhausted.push(policy),
    schedule: (work, delay) => {
      const timer = { work, delay };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), 1);
    },
    ...change,
  });
  const ids = (): unknown[] => posted.map(({ body }) => (JSON.parse(body) as { Id: string }).Id);
  return { delivery, posted, exhausted, timers, ids };
}

describe('events for a subscription', () => {
  it('are sent in order, with context and headers', async () => {
    const { delivery, posted, ids } = aDelivery(() => true);
    for (const id of [1, 2, 3]) delivery.add(record(id));
    await settled();
    expect(ids()).toEqual(['1', '2', '3']);
    expect(posted[0]).toMatchObject({ destination: SUBSCRIPTION.destination, headers: { 'X-Key': 'k' } });
    expect(JSON.parse(posted[0]?.body ?? '')).toMatchObject({ Context: 'rack 7', Events: [{ EventId: '1' }] });
  });

  it('are sent again until the listener accepts them', async () => {
    let failures = 2;
    const { delivery, timers, ids, exhausted } = aDelivery(() => failures-- <= 0);
    delivery.add(record(1));
    delivery.add(record(2));
    for (let tries = 0; tries < 2; tries += 1) {
      await settled();
      expect(timers[0]?.delay).toBe(30_000);
      timers.shift()?.work();
    }
    await settled();
    expect(ids()).toEqual(['1', '1', '1', '2']);
    expect(exhausted).toEqual([]);
  });

  it('are given up after all retries', async () => {
    const { delivery, timers, posted, exhausted } = aDelivery(() => false);
    delivery.add(record(1));
    for (let tries = 0; tries < 2; tries += 1) {
      await settled();
      timers.shift()?.work();
    }
    await settled();
    expect(posted).toHaveLength(3);
    expect(exhausted).toEqual(['TerminateAfterRetries']);
    expect(timers).toEqual([]);
  });

  it('are never given up if the policy says so', async () => {
    const subscription = () => ({ ...SUBSCRIPTION, retryPolicy: 'RetryForever' as const });
    const { delivery, timers, posted, exhausted } = aDelivery(() => false, { subscription });
    delivery.add(record(1));
    for (let tries = 0; tries < 20; tries += 1) {
      await settled();
      timers.shift()?.work();
    }
    await settled();
    expect(posted).toHaveLength(21);
    expect(exhausted).toEqual([]);
    delivery.close();
    await settled();
    expect(posted).toHaveLength(21);
  });

  it('are not retried after close, even if one is in flight', async () => {
    let refuse = (): void => undefined;
    const post = (): Promise<void> =>
      new Promise((_resolve, reject) => {
        refuse = () => {
          reject(new Error('no'));
        };
      });
    const { delivery, timers, exhausted } = aDelivery(() => true, {
      post,
      retries: () => ({ attempts: 0, interval: 30 }),
    });
    delivery.add(record(1));
    await settled();
    delivery.close();
    refuse();
    await settled();
    expect([timers, exhausted]).toEqual([[], []]);
  });

  it('are dropped, oldest first, if the queue is full', async () => {
    const { delivery, timers, ids } = aDelivery(({ body }) => !body.includes('"Id":"1"'));
    for (let id = 1; id <= 200; id += 1) delivery.add(record(id));
    await settled();
    timers.shift()?.work();
    await settled();
    expect(ids().slice(0, 2)).toEqual(['1', '73']);
    expect(ids().at(-1)).toBe('200');
  });

  it('get all retries again after the subscription is resumed', async () => {
    let isSuspended = false;
    const subscription = () => ({ ...SUBSCRIPTION, isSuspended });
    const { delivery, timers, posted, exhausted } = aDelivery(() => false, { subscription });
    delivery.add(record(1));
    await settled();
    isSuspended = true;
    timers.shift()?.work();
    await settled();
    expect(posted).toHaveLength(1);
    isSuspended = false;
    delivery.resume();
    for (let tries = 0; tries < 2; tries += 1) {
      await settled();
      expect(exhausted).toEqual([]);
      timers.shift()?.work();
    }
    await settled();
    expect([posted.length, exhausted]).toEqual([4, ['TerminateAfterRetries']]);
  });

  it('are sent at once if the subscription is resumed before the next retry', async () => {
    const { delivery, timers, posted } = aDelivery(() => false);
    delivery.add(record(1));
    await settled();
    delivery.resume();
    await settled();
    expect([posted.length, timers.length]).toEqual([2, 1]);
  });

  it('are not sent if the subscription is suspended or deleted', async () => {
    for (const subscription of [() => ({ ...SUBSCRIPTION, isSuspended: true }), () => undefined]) {
      const { delivery, posted } = aDelivery(() => true, { subscription });
      delivery.add(record(1));
      await settled();
      expect(posted).toEqual([]);
    }
  });
});
