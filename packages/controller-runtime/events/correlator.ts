import { keyOf } from '../object-key.ts';
import type { KubeObject } from '../objects.ts';
import { BoundedMap } from './bounded-map.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * Number of messages of one object and reason that immediately get separate Events, as in client-go's aggregator; and
 * the milliseconds until one more, as in its spam filter.
 */
const BURST = 10;
const REFILL = 5 * 60_000;
/** Maximum number of remembered pairs of object and reason. */
const MEMORY = 4096;

export type EventType = 'Normal' | 'Warning';

/** The Event to write for an occurrence. Occurrences with the same `key` increase the count of one Event. */
export interface Correlated {
  key: string;
  message: string;
}

/** The messages of one object and reason. */
interface Group {
  bucket: TokenBucket;
  /** Digests of the messages with separate Events. */
  known: BoundedMap<string, true>;
}

/**
 * Keeps one noisy object from filling the cluster with Events. Like client-go's EventCorrelator it combines messages
 * that differ too much. Unlike it, it drops nothing, and each reason has its own limit: many failed log-ins must not
 * hide that a machine was powered off.
 */
export class Correlator {
  readonly #groups = new BoundedMap<string, Group>(MEMORY);

  /**
   * Selects the Event: a separate one, or the combined one if the object and reason have reached their limit.
   *
   * @param now milliseconds since 1970
   * @param crowded whether too many series are pending for a separate Event
   */
  correlate(
    object: KubeObject,
    type: EventType,
    reason: string,
    message: string,
    now: number,
    crowded = false,
  ): Correlated {
    const subject = [object.apiVersion, object.kind, keyOf(object.metadata), object.metadata.uid ?? ''].join('|');
    const key = [subject, type, reason].join('|');
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { bucket: new TokenBucket(BURST, REFILL, now), known: new BoundedMap(BURST) };
      this.#groups.set(key, group);
    }
    const digest = process.getBuiltinModule('node:crypto').createHash('sha256').update(message).digest('base64');
    if (!crowded && (group.known.get(digest) === true || group.bucket.take(now))) {
      group.known.set(digest, true);
      return { key: `${key}|${digest}`, message };
    }
    return { key, message: `(combined from similar events): ${message}` };
  }
}
