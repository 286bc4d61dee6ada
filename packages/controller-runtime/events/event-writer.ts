import type { KubeClient } from '../client.ts';
import { timestamp } from '../clock.ts';
import { type Event, EVENTS } from '../core.ts';
import { isAlreadyExists, isNotFound } from '../errors.ts';
import type { KubeObject } from '../objects.ts';
import { BoundedMap, type EventType } from './correlator.ts';

/** Maximum number of written Events whose count can be increased. */
const MAX_COUNTED = 4096;

/** Occurrences of an Event since the last write. */
export interface Occurrences {
  /** Key of the series; occurrences with the same key are one Event. */
  key: string;
  /** Name of the Event if it must be created; the same in each attempt, so that no Event is written twice. */
  name: string;
  object: KubeObject;
  type: EventType;
  reason: string;
  /** Message and annotations of the last occurrence. */
  message: string;
  annotations: Readonly<Record<string, string>>;
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

/** Creates one Event per series and updates its count. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #counted = new BoundedMap<string, Counted>(MAX_COUNTED);

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /**
   * Makes one attempt. A retry with the same or more occurrences counts none of them twice.
   *
   * @throws errors of the client
   */
  async write(occurrences: Occurrences): Promise<void> {
    const counted = this.#counted.get(occurrences.key);
    if (counted !== undefined) {
      try {
        await this.#countUp(counted, occurrences);
        return;
      } catch (error) {
        // The API server deletes Events after an hour.
        if (!isNotFound(error)) throw error;
        this.#counted.delete(occurrences.key);
      }
    }
    await this.#create(occurrences);
  }

  async #countUp(counted: Counted, { count, message, annotations, lastAt }: Occurrences): Promise<void> {
    const total = counted.count + count;
    const changes = { count: total, message, lastTimestamp: timestamp(lastAt), ...annotated(annotations) };
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
      // An earlier attempt with a lost response created it, possibly with fewer occurrences.
      counted.count = 0;
      await this.#countUp(counted, occurrences);
    }
    this.#counted.set(occurrences.key, counted);
  }

  #draft(occurrences: Occurrences): Event {
    const { component, instance } = this.#options;
    const { object, type, reason, message, annotations, count, firstAt, lastAt } = occurrences;
    const { name, namespace, uid, resourceVersion } = object.metadata;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: occurrences.name, namespace: namespace ?? 'default', ...annotated(annotations).metadata },
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

function annotated(annotations: Readonly<Record<string, string>>): {
  metadata?: { annotations: Record<string, string> };
} {
  return Object.keys(annotations).length === 0 ? {} : { metadata: { annotations: { ...annotations } } };
}
