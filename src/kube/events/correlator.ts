import { keyOf } from '../object-key.ts';
import type { KubeObject } from '../objects.ts';
import { BoundedMap } from './bounded-map.ts';
import { TokenBucket } from './token-bucket.ts';

/** Events of one object that pass at once, and the milliseconds to one more: as client-go's spam filter. */
const BURST = 25;
const REFILL = 5 * 60_000;
/** Different messages of one reason within this time, milliseconds, that are told apart: as client-go's aggregator. */
const SIMILAR_LIMIT = 10;
const SIMILAR_WINDOW = 10 * 60_000;
/** Objects and events that are remembered. */
const MEMORY = 4096;

export type EventType = 'Normal' | 'Warning';

/** What to write for something that happened. Two with the same `key` are one Event object that counts. */
export interface Correlated {
  key: string;
  message: string;
}

interface Similar {
  messages: Set<string>;
  last: number;
}

/** Keeps one noisy object from filling the cluster with Events: the rules of client-go's EventCorrelator. */
export class Correlator {
  readonly #buckets = new BoundedMap<string, TokenBucket>(MEMORY);
  readonly #similar = new BoundedMap<string, Similar>(MEMORY);

  /** Undefined where the object has had its share. `now` in milliseconds. */
  correlate(object: KubeObject, type: EventType, reason: string, message: string, now: number): Correlated | undefined {
    const subject = [object.apiVersion, object.kind, keyOf(object.metadata), object.metadata.uid ?? ''].join('|');
    const bucket = this.#buckets.get(subject) ?? new TokenBucket(BURST, REFILL, now);
    this.#buckets.set(subject, bucket);
    if (!bucket.take(now)) return undefined;
    const group = [subject, type, reason].join('|');
    if (!this.#isTooDiverse(group, message, now)) return { key: `${group}|${message}`, message };
    return { key: group, message: `(combined from similar events): ${message}` };
  }

  #isTooDiverse(group: string, message: string, now: number): boolean {
    let similar = this.#similar.get(group);
    if (similar === undefined || now - similar.last > SIMILAR_WINDOW) similar = { messages: new Set(), last: now };
    similar.last = now;
    if (similar.messages.size < SIMILAR_LIMIT) similar.messages.add(message);
    this.#similar.set(group, similar);
    return similar.messages.size >= SIMILAR_LIMIT;
  }
}
