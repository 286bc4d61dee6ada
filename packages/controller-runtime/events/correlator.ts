import { keyOf } from '../object-key.ts';
import type { KubeObject } from '../objects.ts';
import { BoundedMap } from './bounded-map.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * Messages of one object and reason that get Events of their own at once, as client-go's aggregator; and the
 * milliseconds to one more, as its spam filter.
 */
const BURST = 10;
const REFILL = 5 * 60_000;
/** Pairs of object and reason that are remembered. */
const MEMORY = 4096;

export type EventType = 'Normal' | 'Warning';

/** What to write for something that happened. Two with the same `key` are one Event object that counts. */
export interface Correlated {
  key: string;
  message: string;
}

/** What one object has told for one reason. */
interface Group {
  bucket: TokenBucket;
  /** Digests of the messages that have Events of their own. */
  known: BoundedMap<string, true>;
}

/**
 * Keeps one noisy object from filling the cluster with Events. As client-go's EventCorrelator it combines messages
 * that differ too much; unlike it, it loses nothing, and one reason never uses up the share of another: log-ins that
 * fail are many, and must not hide that a machine was powered off.
 */
export class Correlator {
  readonly #groups = new BoundedMap<string, Group>(MEMORY);

  /**
   * Which Event tells it: one of its own, or where the object has had its share for this reason, the combined one.
   *
   * @param now milliseconds since 1970
   * @param crowded whether too much waits to be written to give it an Event of its own
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
