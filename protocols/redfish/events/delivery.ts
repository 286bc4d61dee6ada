import type { StoredSubscription } from '../state.ts';
import { eventMessage, type EventRecord } from './event-record.ts';
import type { Posting } from './post-event.ts';

export interface DeliveryOptions {
  /** The stored subscription; undefined: deleted. */
  subscription: () => StoredSubscription | undefined;
  /** Number of retries, and seconds between them. */
  retries: () => { attempts: number; interval: number };
  post: (posting: Posting) => Promise<void>;
  /** Called after each attempt; error is undefined if the listener accepted the event. */
  tried: (destination: string, error: unknown) => void;
  /** All retries failed. */
  exhausted: (policy: StoredSubscription['retryPolicy']) => void;
  /** Calls `work` after `delay` ms; returns the function that cancels it. */
  schedule: (work: () => void, delay: number) => () => void;
}

/** Maximum number of queued events; then the oldest is dropped. */
const MOST_WAITING = 128;

/** Sends the events of one subscription in order; retries each until the listener accepts it or all retries have failed. */
export class Delivery {
  readonly #options: DeliveryOptions;
  #waiting: EventRecord[] = [];
  #isRunning = false;
  #isClosed = false;
  #failures = 0;
  #cancel: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  add(record: EventRecord): void {
    this.#waiting = [...this.#waiting, record].slice(-MOST_WAITING);
    this.#goOn();
  }

  /** Continues with the queued events at once, with all retries. */
  resume(): void {
    this.#failures = 0;
    this.#cancel?.();
    this.#goOn();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#cancel?.();
  }

  #goOn(): void {
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (;;) {
      const [record] = this.#waiting;
      const subscription = this.#options.subscription();
      if (record === undefined || subscription === undefined || subscription.isSuspended || this.#isClosed) break;
      if (await this.#try(subscription, record)) {
        this.#failures = 0;
        this.#waiting = this.#waiting.filter((other) => other !== record);
      } else if (!this.#triesAgain(subscription, record)) break;
      else await this.#pause();
    }
    this.#isRunning = false;
  }

  async #try(subscription: StoredSubscription, record: EventRecord): Promise<boolean> {
    const { destination, context, httpHeaders, verifiesCertificate } = subscription;
    const body = JSON.stringify(eventMessage(record, context));
    try {
      await this.#options.post({ destination, headers: httpHeaders, body, verifiesCertificate });
      this.#options.tried(destination, undefined);
      return true;
    } catch (error) {
      this.#options.tried(destination, error ?? new Error('no answer'));
      return false;
    }
  }

  #triesAgain({ retryPolicy }: StoredSubscription, record: EventRecord): boolean {
    if (this.#isClosed) return false;
    this.#failures += 1;
    if (retryPolicy === 'RetryForever' || this.#failures <= this.#options.retries().attempts) return true;
    this.#failures = 0;
    this.#waiting = this.#waiting.filter((other) => other !== record);
    this.#options.exhausted(retryPolicy);
    return false;
  }

  #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.schedule(resolve, this.#options.retries().interval * 1000);
    this.#cancel = () => {
      cancel();
      resolve();
    };
    return promise;
  }
}

/** Default number of retries for an event, and seconds between them. */
export const RETRIES = { attempts: 3, interval: 30 };
/** Limits for clients. */
export const RETRY_LIMITS = { attempts: { least: 0, most: 100 }, interval: { least: 1, most: 3600 } };
