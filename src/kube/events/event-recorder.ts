import type { KubeClient } from '../client.ts';
import type { Clock } from '../clock.ts';
import { EVENTS, type Event } from '../core.ts';
import { ApiError, isAlreadyExists, isNotFound } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { keyOf } from '../object-key.ts';
import type { KubeObject } from '../objects.ts';
import { sleep } from '../sleep.ts';
import { timestamp } from '../timestamps.ts';
import { BoundedMap } from './bounded-map.ts';
import { Correlator, type EventType } from './correlator.ts';

export interface EventRecorderOptions {
  client: KubeClient;
  /** Who reports: `groundcrew-manager`. */
  component: string;
  /** Which one of them: the name of its Pod. Default: the component. */
  instance?: string;
  clock: Clock;
  logger: Logger;
}

/** Events that wait to be written; more are dropped. */
const MAX_PENDING = 1000;
/** Events that are counted up when they come again. */
const MAX_COUNTED = 4096;
/** Attempts at an API server that does not answer, and the milliseconds between them: as client-go. */
const ATTEMPTS = 12;
const RETRY_PERIOD = 10_000;
/** Limits of core/v1: bytes of a message, characters of a name. */
const MAX_MESSAGE = 1024;
const MAX_NAME = 253;

/** One thing to write down. */
interface Occurrence {
  key: string;
  /** Of the Event; the same in each attempt, so that none is written twice. */
  name: string;
  object: KubeObject;
  type: EventType;
  reason: string;
  message: string;
  at: number;
}

/** An Event that has been written. */
interface Counted {
  name: string;
  namespace: string;
  count: number;
}

/**
 * Writes core/v1 Events about objects, as `kubectl describe` shows them. What happens again counts up one Event; an
 * object that has too many to tell is cut short.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator = new Correlator();
  readonly #counted = new BoundedMap<string, Counted>(MAX_COUNTED);
  readonly #pending: Occurrence[] = [];
  /** Ends the pauses between attempts. */
  #hurry = new AbortController();
  #writing: Promise<void> | undefined;
  #sequence = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /**
   * Tells that something happened to `object`; it is written in the background, and never throws.
   *
   * @param reason one word in CamelCase
   * @param message a sentence for people, at most 1 KiB; more is cut off
   */
  event(object: KubeObject, type: EventType, reason: string, message: string): void {
    const { clock, logger } = this.#options;
    const at = clock.now();
    const correlated = this.#correlator.correlate(object, type, reason, cut(message), at);
    if (correlated === undefined || this.#pending.length >= MAX_PENDING) {
      logger.debug({ object: keyOf(object.metadata), reason, text: message }, 'an Event too many; not written');
      return;
    }
    this.#pending.push({
      key: correlated.key,
      name: this.#name(object.metadata.name, at),
      object,
      type,
      reason,
      message: cut(correlated.message),
      at,
    });
    this.#writing ??= this.#write();
  }

  /** Resolves when all Events are written; an API server that does not answer is asked once more for each of them. */
  async flush(): Promise<void> {
    this.#hurry.abort();
    await this.#writing;
    this.#hurry = new AbortController();
  }

  async #write(): Promise<void> {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      await this.#writeWithRetries(next);
    }
    this.#writing = undefined;
  }

  async #writeWithRetries(occurrence: Occurrence): Promise<void> {
    const { clock, logger } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const hurried = this.#hurry.signal.aborted;
      try {
        await this.#writeOnce(occurrence);
        return;
      } catch (error) {
        const refused = error instanceof ApiError && error.status < 500 && error.status !== 429;
        if (refused || hurried || attempt === ATTEMPTS) {
          const fields = { err: error, object: keyOf(occurrence.object.metadata), reason: occurrence.reason };
          logger.warn(fields, 'an Event could not be written');
          return;
        }
      }
      await sleep(clock, RETRY_PERIOD, this.#hurry.signal);
    }
  }

  async #writeOnce(occurrence: Occurrence): Promise<void> {
    const { client } = this.#options;
    const counted = this.#counted.get(occurrence.key);
    if (counted !== undefined) {
      const count = counted.count + 1;
      const { message, at } = occurrence;
      try {
        await client.patch(EVENTS, counted, 'merge', { count, message, lastTimestamp: timestamp(at) });
        counted.count = count;
        return;
      } catch (error) {
        // The API server forgets Events after an hour.
        if (!isNotFound(error)) throw error;
        this.#counted.delete(occurrence.key);
      }
    }
    await this.#create(occurrence);
  }

  async #create(occurrence: Occurrence): Promise<void> {
    const draft = this.#draft(occurrence);
    const { name, namespace = '' } = draft.metadata;
    try {
      await this.#options.client.create(EVENTS, draft);
    } catch (error) {
      // Written by an attempt whose answer was lost.
      if (!isAlreadyExists(error)) throw error;
    }
    this.#counted.set(occurrence.key, { name, namespace, count: 1 });
  }

  #draft(occurrence: Occurrence): Event {
    const { component, instance = component } = this.#options;
    const { object, type, reason, message, at } = occurrence;
    const { name, namespace, uid, resourceVersion } = object.metadata;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: occurrence.name, namespace: namespace ?? 'default' },
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      type,
      reason,
      message,
      count: 1,
      firstTimestamp: timestamp(at),
      lastTimestamp: timestamp(at),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    };
  }

  #name(object: string, at: number): string {
    this.#sequence += 1;
    // As client-go: the time in nanoseconds, of which the sequence number supplies what the clock does not.
    const suffix = `.${(BigInt(Math.floor(at)) * 1_000_000n + BigInt(this.#sequence % 1_000_000)).toString(16)}`;
    return object.slice(0, MAX_NAME - suffix.length) + suffix;
  }
}

/** The text in at most 1 KiB of UTF-8, whole characters only. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= MAX_MESSAGE) return text;
  return new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_MESSAGE - 3), { stream: true });
}
