import type { RedfishOptions } from '../options.ts';
import type { StoredSubscription } from '../state.ts';
import { Delivery, RETRIES } from './delivery.ts';
import { deliveryProblem, type Posting } from './post-event.ts';
import type { EventRecord } from './event-record.ts';
import type { KeptSubscriptions } from './kept-subscriptions.ts';

/** Why the last event did not reach the listener. */
export interface DeliveryProblem {
  /** A sentence without a full stop. */
  readonly why: string;
  /** First occurrence, ms since 1970 */
  readonly since: number;
}

type DeliveriesOptions = Pick<RedfishOptions, 'state' | 'schedule' | 'time' | 'observer' | 'listeners'> & {
  subscriptions: KeptSubscriptions;
  post: (posting: Posting) => Promise<void>;
  /** All retries of an event failed; `how` is the consequence by the subscription's retry policy. */
  gaveUp: (subscription: StoredSubscription, how: 'Terminated' | 'Suspended') => void;
};

/** The deliveries of all subscriptions. They are independent: a slow listener does not delay others. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #byId = new Map<string, Delivery>();
  readonly #problems = new Map<string, DeliveryProblem>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  add(id: string, record: EventRecord): void {
    const delivery = this.#byId.get(id) ?? this.#deliveryOf(id);
    this.#byId.set(id, delivery);
    delivery.add(record);
  }

  resume(id: string): void {
    this.#byId.get(id)?.resume();
  }

  /** Undefined: no problem, or nothing sent yet. */
  problemOf(id: string): DeliveryProblem | undefined {
    return this.#problems.get(id);
  }

  /** Removes deliveries without a subscription. */
  sweep(): void {
    const stored = new Set(this.#options.subscriptions.list().map(({ id }) => id));
    for (const [id, delivery] of this.#byId) {
      if (stored.has(id)) continue;
      delivery.close();
      this.#byId.delete(id);
      this.#problems.delete(id);
    }
  }

  close(): void {
    for (const delivery of this.#byId.values()) delivery.close();
    this.#byId.clear();
  }

  #deliveryOf(id: string): Delivery {
    const { post, schedule, state, subscriptions } = this.#options;
    return new Delivery({
      subscription: () => subscriptions.find(id),
      retries: () => {
        const { eventRetryAttempts, eventRetryIntervalSeconds } = state.current().settings ?? {};
        return {
          attempts: eventRetryAttempts ?? RETRIES.attempts,
          interval: eventRetryIntervalSeconds ?? RETRIES.interval,
        };
      },
      post,
      tried: (destination, error) => {
        this.#note(id, destination, error);
      },
      exhausted: (policy) => void this.#giveUp(id, policy),
      schedule,
    });
  }

  #note(id: string, destination: string, error: unknown): void {
    // The subscription may have been deleted during the delivery.
    if (!this.#byId.has(id)) return;
    if (error === undefined) {
      this.#problems.delete(id);
      return;
    }
    const { observer, time, listeners } = this.#options;
    const why = deliveryProblem(error, listeners.trustAdvice);
    if (this.#problems.get(id)?.why === why) return;
    this.#problems.set(id, { why, since: time() });
    observer.undelivered(destination, why);
  }

  async #giveUp(id: string, policy: StoredSubscription['retryPolicy']): Promise<void> {
    const { state, observer, gaveUp } = this.#options;
    const how = policy === 'TerminateAfterRetries' ? 'Terminated' : 'Suspended';
    let one: StoredSubscription | undefined;
    try {
      await state.change(({ subscriptions: stored = [] }) => {
        one = stored.find((other) => other.id === id && !other.isSuspended);
        if (one === undefined) return {};
        const others = stored.filter((other) => other.id !== id);
        if (how === 'Terminated') return { subscriptions: others };
        return {
          subscriptions: stored.map((other) => (other.id === id ? { ...other, isSuspended: true } : other)),
        };
      });
    } catch (error) {
      observer.failed(error, 'POST', 'a listener of events');
      return;
    }
    if (one !== undefined) gaveUp(one, how);
  }
}
