import type { EventHub, ServiceEvent } from '../context.ts';
import { logEntryProperties } from '../log/log-entry.ts';
import type { RedfishOptions } from '../options.ts';
import type { StoredSubscription } from '../state.ts';
import type { LogEntry } from '../../machine/index.ts';
import { Delivery } from './delivery.ts';
import { eventRecord, type EventRecord } from './event-record.ts';
import { postEvent } from './post-event.ts';
import { resourceTypeOf } from './resource-type.ts';
import { RETRIES } from './retries.ts';
import { isWanted } from './wanted.ts';

/** Events that a listener whose stream broke can ask for again. */
const REMEMBERED = 64;

export type Listener = (record: EventRecord) => void;

export interface Hub extends EventHub {
  /** Tells of each event from now on, after those that came behind the one of ID `after`; returns what ends that. */
  listen(listener: Listener, after?: number): () => void;
  /** Takes up a subscription's deliveries again. */
  resume(id: string): void;
  close(): void;
}

type HubOptions = Pick<RedfishOptions, 'machine' | 'state' | 'schedule' | 'time' | 'observer'>;

/** Hands each event to whoever wants it: subscriptions, which are sent it, and streams. Entries of the event log are events too. */
export function createEventHub(options: HubOptions, post: typeof postEvent = postEvent): Hub {
  const { state, machine, schedule, time, observer } = options;
  const deliveries = new Map<string, Delivery>();
  const listeners = new Set<Listener>();
  let remembered: EventRecord[] = [];
  let lastId = 0;

  const subscriptions = (): readonly StoredSubscription[] => state.current().subscriptions ?? [];
  const deliveryOf = (id: string): Delivery => {
    const known = deliveries.get(id);
    if (known !== undefined) return known;
    const delivery = new Delivery({
      subscription: () => subscriptions().find((one) => one.id === id),
      retries: () => retriesIn(state.current().settings),
      post,
      exhausted: (policy) => void giveUp(id, policy),
      schedule,
    });
    deliveries.set(id, delivery);
    return delivery;
  };
  const giveUp = async (id: string, policy: StoredSubscription['retryPolicy']): Promise<void> => {
    try {
      await state.change(({ subscriptions: stored = [] }) => ({
        subscriptions:
          policy === 'TerminateAfterRetries'
            ? stored.filter((one) => one.id !== id)
            : stored.map((one) => (one.id === id ? { ...one, isSuspended: true } : one)),
      }));
    } catch (error) {
      observer.failed(error, 'POST', 'a listener of events');
    }
  };
  const hub: Hub = {
    publish(event) {
      lastId += 1;
      const record = eventRecord(lastId, time(), event);
      remembered = [...remembered, record].slice(-REMEMBERED);
      for (const listener of listeners) listener(record);
      const stored = subscriptions();
      for (const one of stored) {
        if (!one.isSuspended && isWanted(event, one, resourceTypeOf)) deliveryOf(one.id).add(record);
      }
      for (const id of deliveries.keys()) if (!stored.some((one) => one.id === id)) deliveries.delete(id);
    },
    listen(listener, after) {
      if (after !== undefined) for (const record of remembered) if (record.id > after) listener(record);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    resume(id) {
      deliveries.get(id)?.resume();
    },
    close() {
      unsubscribe();
      for (const delivery of deliveries.values()) delivery.close();
      deliveries.clear();
      listeners.clear();
    },
  };
  const unsubscribe = machine.log.subscribe((entry) => {
    hub.publish(eventOf(entry));
  });
  return hub;
}

function retriesIn(settings: { eventRetryAttempts?: number; eventRetryIntervalSeconds?: number } = {}): {
  attempts: number;
  interval: number;
} {
  const { eventRetryAttempts: attempts, eventRetryIntervalSeconds: interval } = { ...settings };
  return { attempts: attempts ?? RETRIES.attempts, interval: interval ?? RETRIES.interval };
}

function eventOf(entry: LogEntry): ServiceEvent {
  const said = logEntryProperties(entry);
  return {
    messageId: said.MessageId,
    message: said.Message,
    messageArgs: said.MessageArgs,
    severity: said.Severity,
    origin: said.Links.OriginOfCondition['@odata.id'],
    eventType: 'Alert',
  };
}
