import type { KubeClient } from '../client.ts';
import { type Clock, sleep, type Timer } from '../clock.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { keyOf, type KubeObject } from '../objects.ts';
import { Correlator, type EventType } from './correlator.ts';
import { EventWriter, type Occurrences } from './event-writer.ts';

export interface EventRecorderOptions {
  client: KubeClient;
  /** Reporting component, such as `groundcrew-manager`. */
  component: string;
  /** Reporting instance: the name of its Pod. Default: the component. */
  instance?: string;
  clock: Clock;
  logger: Logger;
}

/** Minimum milliseconds between two writes of one series. */
const WRITE_PERIOD = 1000;
/** Number of pending series above which similar Events are combined, and above which the oldest series are dropped. */
const CROWDED = 1000;
const MAX_SERIES = 4000;
/** Number of attempts if the API server does not answer, and the milliseconds between them, as in client-go. */
const ATTEMPTS = 12;
const RETRY_PERIOD = 10_000;
/** Limits of core/v1: message in bytes, name in characters. */
const MAX_MESSAGE = 1024;
const MAX_NAME = 253;

/** A pending series: it waits for a write, is being written, or was written less than WRITE_PERIOD ago. */
interface Series extends Occurrences {
  /** Ends the pause after a write; undefined if there is no pause. */
  pause: Timer | undefined;
}

/**
 * Writes core/v1 Events about objects, as shown by `kubectl describe`. Repetitions increase the count of one Event,
 * with at most one write per second. If an object has too many different messages for one reason, a combined Event
 * always shows the last message.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator = new Correlator();
  readonly #writer: EventWriter;
  /** By key, oldest first. */
  readonly #series = new Map<string, Series>();
  /** Series to write now, in this order. */
  readonly #ready = new Set<Series>();
  /** Ends the pauses between attempts. */
  #hurry = new AbortController();
  #writing: Promise<void> | undefined;
  #sequence = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    const { client, component, instance = component } = options;
    this.#writer = new EventWriter({ client, component, instance });
  }

  /**
   * Records an Event of `object`. It is written in the background and never throws.
   *
   * @param reason one word in CamelCase
   * @param message a sentence for the user, truncated to 1 KiB
   * @param annotations of the Event; those of the last occurrence
   */
  event(
    object: KubeObject,
    type: EventType,
    reason: string,
    message: string,
    annotations: Readonly<Record<string, string>> = {},
  ): void {
    const at = this.#options.clock.now();
    const crowded = this.#series.size >= CROWDED;
    const correlated = this.#correlator.correlate(object, type, reason, cut(message), at, crowded);
    const last = { object, message: cut(correlated.message), annotations, lastAt: at };
    const inHand = this.#series.get(correlated.key);
    if (inHand !== undefined) {
      if (inHand.count === 0) inHand.firstAt = at;
      inHand.count += 1;
      Object.assign(inHand, last);
      return;
    }
    const { key } = correlated;
    const name = this.#name(object.metadata.name, at);
    const series = { ...last, key, name, type, reason, count: 1, firstAt: at, pause: undefined };
    this.#dropOldest();
    this.#series.set(key, series);
    this.#writeSoon(series);
  }

  /**
   * Resolves when all earlier Events are written with their counts. If the API server does not answer, each gets one
   * more attempt.
   */
  async flush(): Promise<void> {
    this.#hurry.abort();
    this.#endPauses();
    await this.#writing;
    // Repetitions during the write.
    this.#endPauses();
    await this.#writing;
    this.#hurry = new AbortController();
  }

  #dropOldest(): void {
    for (const series of this.#series.values()) {
      if (this.#series.size < MAX_SERIES) return;
      this.#forget(series);
      const fields = { object: keyOf(series.object.metadata), reason: series.reason, text: series.message };
      if (series.count > 0) this.#options.logger.warn(fields, 'too many Events wait; the oldest is not written');
    }
  }

  #forget(series: Series): void {
    series.pause?.cancel();
    series.pause = undefined;
    this.#ready.delete(series);
    this.#series.delete(series.key);
  }

  #writeSoon(series: Series): void {
    this.#ready.add(series);
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    for (const series of this.#ready) {
      this.#ready.delete(series);
      await this.#writeWithRetries(series);
      if (this.#series.get(series.key) === series) this.#pause(series);
    }
    this.#writing = undefined;
  }

  #pause(series: Series): void {
    if (this.#hurry.signal.aborted && series.count === 0) {
      this.#forget(series);
      return;
    }
    series.pause = this.#options.clock.setTimeout(() => {
      this.#endPause(series);
    }, WRITE_PERIOD);
  }

  #endPauses(): void {
    for (const series of [...this.#series.values()]) if (series.pause !== undefined) this.#endPause(series);
  }

  #endPause(series: Series): void {
    series.pause?.cancel();
    series.pause = undefined;
    if (series.count > 0) this.#writeSoon(series);
    else this.#forget(series);
  }

  async #writeWithRetries(series: Series): Promise<void> {
    const { clock, logger } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const hurried = this.#hurry.signal.aborted;
      // The series continues to count during the write.
      const occurrences: Occurrences = { ...series };
      try {
        await this.#writer.write(occurrences);
        settle(series, occurrences);
        return;
      } catch (error) {
        const refused = error instanceof ApiError && error.status < 500 && error.status !== 429;
        if (refused || hurried || attempt === ATTEMPTS) {
          const fields = { err: error, object: keyOf(series.object.metadata), reason: series.reason };
          logger.warn(fields, 'an Event could not be written');
          settle(series, occurrences);
          return;
        }
      }
      await sleep(clock, RETRY_PERIOD, this.#hurry.signal);
    }
  }

  #name(object: string, at: number): string {
    this.#sequence += 1;
    // As in client-go: the time in nanoseconds; the sequence number provides the digits below the clock's resolution.
    const suffix = `.${(BigInt(Math.floor(at)) * 1_000_000n + BigInt(this.#sequence % 1_000_000)).toString(16)}`;
    return object.slice(0, MAX_NAME - suffix.length) + suffix;
  }
}

/** Keeps only the occurrences in the series that happened while `done` was being written. */
function settle(series: Series, done: Occurrences): void {
  series.count -= done.count;
  series.firstAt = done.lastAt;
}

/** Truncates the text to 1 KiB of UTF-8 at a character boundary. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= MAX_MESSAGE) return text;
  return new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_MESSAGE - 3), { stream: true });
}
