import type { KubeClient } from '../client.ts';
import { EVENTS, type Event } from '../core.ts';
import { isAlreadyExists, isNotFound } from '../errors.ts';
import type { KubeObject } from '../objects.ts';
import { timestamp } from '../timestamps.ts';
import { BoundedMap } from './bounded-map.ts';
import type { EventType } from './correlator.ts';

/** Events that are counted up when they come again. */
const MAX_COUNTED = 4096;

/** What happened once or more since it was last written. */
export interface Occurrences {
  /** Of the series; occurrences with one key are one Event. */
  key: string;
  /** Of the Event where it is to be created; the same in each attempt, so that none is written twice. */
  name: string;
  object: KubeObject;
  type: EventType;
  reason: string;
  /** Of the last one. */
  message: string;
  count: number;
  /** Milliseconds since 1970. */
  firstAt: number;
  lastAt: number;
}

/** An Event that has been written. */
interface Counted {
  name: string;
  namespace: string;
  count: number;
}

export interface EventWriterOptions {
  client: KubeClient;
  component: string;
  instance: string;
}

/** Creates an Event for each series, and counts it up. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #counted = new BoundedMap<string, Counted>(MAX_COUNTED);

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /**
   * Makes one attempt; another with the same occurrences, or more of them, counts none twice.
   *
   * @throws what the client throws
   */
  async write(occurrences: Occurrences): Promise<void> {
    const counted = this.#counted.get(occurrences.key);
    if (counted !== undefined) {
      try {
        await this.#countUp(counted, occurrences);
        return;
      } catch (error) {
        // The API server forgets Events after an hour.
        if (!isNotFound(error)) throw error;
        this.#counted.delete(occurrences.key);
      }
    }
    await this.#create(occurrences);
  }

  async #countUp(counted: Counted, { count, message, lastAt }: Occurrences): Promise<void> {
    const total = counted.count + count;
    const changes = { count: total, message, lastTimestamp: timestamp(lastAt) };
    await this.#options.client.patch(EVENTS, counted, 'merge', changes);
    counted.count = total;
  }

  async #create(occurrences: Occurrences): Promise<void> {
    const draft = this.#draft(occurrences);
    const { name, namespace = '' } = draft.metadata;
    const counted = { name, namespace, count: occurrences.count };
    try {
      await this.#options.client.create(EVENTS, draft);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // Written by an attempt whose answer was lost, perhaps when there were fewer occurrences.
      counted.count = 0;
      await this.#countUp(counted, occurrences);
    }
    this.#counted.set(occurrences.key, counted);
  }

  #draft(occurrences: Occurrences): Event {
    const { component, instance } = this.#options;
    const { object, type, reason, message, count, firstAt, lastAt } = occurrences;
    const { name, namespace, uid, resourceVersion } = object.metadata;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: occurrences.name, namespace: namespace ?? 'default' },
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
      count,
      firstTimestamp: timestamp(firstAt),
      lastTimestamp: timestamp(lastAt),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    };
  }
}
