import type { EventHub, ServiceEvent } from '../context.ts';
import { logEntryProperties } from '../log-service.ts';
import type { RedfishOptions, SubscriptionEnd } from '../options.ts';
import { resourceEvent } from '../service/exchange.ts';
import type { StoredSubscription } from '../state.ts';
import type { LogEntry } from '../../machine/index.ts';
import { Deliveries, type DeliveryProblem } from './deliveries.ts';
import { eventRecord, type EventRecord, isWanted, resourceTypeOf, SUBSCRIPTIONS } from './event-record.ts';
import { KeptSubscriptions } from './kept-subscriptions.ts';
import { sendEvent } from './post-event.ts';

/** Number of events that a reconnecting stream can request again. */
const REMEMBERED = 64;

type Listener = (record: EventRecord) => void;

export interface Hub extends EventHub {
  readonly subscriptions: KeptSubscriptions;
  /** Calls the listener for each new event, first for those after the event with ID `after`; returns the function that unsubscribes. */
  listen(listener: Listener, after?: number): () => void;
  /** Calls the listener once when the service shuts down; returns the function that unsubscribes. */
  onLeave(listener: () => void): () => void;
  /** Signals that the service shuts down. */
  leave(): void;
  /** Resumes the deliveries of a subscription. */
  resume(id: string): void;
  /** Why events do not reach the listener of a subscription; undefined: no known problem. */
  problemOf(id: string): DeliveryProblem | undefined;
  close(): void;
}

type HubOptions = Pick<
  RedfishOptions,
  'machine' | 'accounts' | 'state' | 'schedule' | 'time' | 'observer' | 'listeners'
>;

/** Distributes events to subscriptions and streams. Entries of the event log are events too. */
export function createEventHub(options: HubOptions, send: typeof sendEvent = sendEvent): Hub {
  const { machine, observer, time } = options;
  const stopped = ({ id, destination }: StoredSubscription, how: SubscriptionEnd): void => {
    observer.unsubscribed(destination, how);
    hub.publish(resourceEvent(how === 'Suspended' ? 'ResourceChanged' : 'ResourceRemoved', `${SUBSCRIPTIONS}/${id}`));
  };
  const subscriptions = new KeptSubscriptions({
    ...options,
    left: (gone) => {
      for (const one of gone) stopped(one, 'AccountGone');
    },
  });
  // Made for the first subscription that gets an event.
  let deliveries: Deliveries | undefined;
  const deliveriesOf = (): Deliveries =>
    (deliveries ??= new Deliveries({
      ...{ ...options, subscriptions },
      post: (posting) => send(posting, options),
      gaveUp: stopped,
    }));
  const listeners = new Set<Listener>();
  const leavers = new Set<() => void>();
  let isLeaving = false;
  let isClosed = false;
  let remembered: EventRecord[] = [];
  // Above the IDs of the previous process: listeners ignore events with an ID that they know.
  let lastId = time();

  const hub: Hub = {
    subscriptions,
    publish(event) {
      if (isClosed) return;
      lastId += 1;
      const record = eventRecord(lastId, time(), event);
      remembered = [...remembered, record].slice(-REMEMBERED);
      for (const listener of listeners) listener(record);
      subscriptions.sweep();
      deliveries?.sweep();
      for (const one of subscriptions.list()) {
        if (!one.isSuspended && isWanted(event, one, resourceTypeOf)) deliveriesOf().add(one.id, record);
      }
    },
    listen(listener, after) {
      if (after !== undefined) for (const record of remembered) if (record.id > after) listener(record);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onLeave(listener) {
      leavers.add(listener);
      if (isLeaving) listener();
      return () => leavers.delete(listener);
    },
    leave() {
      isLeaving = true;
      for (const listener of leavers) listener();
    },
    resume(id) {
      deliveries?.resume(id);
    },
    problemOf: (id) => deliveries?.problemOf(id),
    close() {
      isClosed = true;
      unsubscribe();
      deliveries?.close();
      listeners.clear();
      leavers.clear();
    },
  };
  const unsubscribe = machine.log.subscribe((entry) => {
    hub.publish(eventOf(entry));
  });
  return hub;
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
