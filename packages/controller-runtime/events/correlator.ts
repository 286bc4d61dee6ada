import { keyOf, type KubeObject } from '../objects.ts';

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

/** A map with a maximum size that evicts the least recently used entry. */
export class BoundedMap<K, V> {
  readonly #limit: number;
  readonly #map = new Map<K, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    const value = this.#map.get(key);
    if (value === undefined) return undefined;
    this.#map.delete(key);
    this.#map.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#map.delete(key);
    this.#map.set(key, value);
    for (const oldest of this.#map.keys()) {
      if (this.#map.size <= this.#limit) return;
      this.#map.delete(oldest);
    }
  }

  delete(key: K): void {
    this.#map.delete(key);
  }
}

/** A token bucket with `burst` tokens that gains one token every `refill` milliseconds. */
class TokenBucket {
  readonly #burst: number;
  readonly #refill: number;
  #tokens: number;
  #filledAt: number;

  constructor(burst: number, refill: number, now: number) {
    this.#burst = burst;
    this.#refill = refill;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  take(now: number): boolean {
    const fresh = Math.floor((now - this.#filledAt) / this.#refill);
    if (fresh > 0) {
      this.#tokens = Math.min(this.#burst, this.#tokens + fresh);
      this.#filledAt += fresh * this.#refill;
    }
    if (this.#tokens === 0) return false;
    this.#tokens -= 1;
    return true;
  }
}
