import { Backoff } from '../backoff.ts';
import type { KubeClient, Selection } from '../client.ts';
import type { Clock } from '../clock.ts';
import { ApiError, isGone, isNotFound } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics/index.ts';
import type { Kind, KubeObject } from '../objects.ts';
import { sleep } from '../sleep.ts';

/** What a reflector tells of, in the order in which it happened. */
export interface Sink<T> {
  /** These are all objects that there are. */
  replace(objects: readonly T[]): void;
  put(object: T): void;
  delete(object: T): void;
  /** The server does not know the kind. */
  absent(): void;
}

export interface ReflectorOptions<T extends KubeObject, Kept> {
  client: KubeClient;
  kind: Kind<T>;
  selection: Selection;
  sink: Sink<Kept>;
  /** What is kept of an object; called as soon as it is parsed, so that a long list is never held in full. */
  trim: (object: T) => Kept;
  /** Objects asked for at a time. Default 250; fewer take longer and leave less garbage behind. */
  pageSize?: number;
  clock: Clock;
  /** From [0, 1). */
  random: () => number;
  logger: Logger;
  metrics?: Metrics | undefined;
}

/** A watch that is open; times in ms, as the clock has them. */
export interface OpenWatch {
  /** When the server accepted it. */
  readonly opened: number;
  /** When the server was last heard on it: a change, or a bookmark, which comes about once a minute. */
  readonly heard: number;
}

/** A page is parsed in some 5 ms, and its text is not much beside what is kept. */
const PAGE_SIZE = 250;
/** Upper bounds of the delays between attempts, milliseconds. */
const BACKOFF_BASE = 800;
// So that a watch is back within 15 s of the API server, however long that was away.
const BACKOFF_MAX = 10_000;
/** Seconds after which the server is asked to end a watch: spread, so that watches do not come back all at once. */
const WATCH_TIMEOUT_MIN = 300;
const WATCH_TIMEOUT_SPREAD = 300;
/** Milliseconds: twice the time between bookmarks. */
const WATCH_IDLE_TIMEOUT = 120_000;
/** A watch that stood this long was a success, milliseconds. */
const HEALTHY_AFTER = 1000;

/**
 * Follows one kind on the API server: list, watch, and whatever it takes to go on when either fails. It keeps nothing
 * of what it tells; `CachedWatch` does.
 */
export class Reflector<T extends KubeObject, Kept = T> {
  readonly #options: ReflectorOptions<T, Kept>;
  readonly #backoff: Backoff;
  /** Where the watch goes on from; undefined: list anew. */
  #resourceVersion: string | undefined;
  #watchOpened: number | undefined;
  #openWatch: OpenWatch | undefined;
  #heard: number | undefined;
  #hasFailed = false;
  #awayUntil: number | undefined;
  #absent = false;

  constructor(options: ReflectorOptions<T, Kept>) {
    this.#options = options;
    this.#backoff = new Backoff({ base: BACKOFF_BASE, max: BACKOFF_MAX, random: options.random });
  }

  /** Undefined while no watch is open. */
  get openWatch(): OpenWatch | undefined {
    return this.#openWatch;
  }

  /** When the server was last heard, on whichever watch or list, in ms as the clock has it; undefined: never yet. */
  get heard(): number | undefined {
    return this.#heard;
  }

  /** Until when the server could not be reached, which is now while it cannot, in ms as the clock has it; undefined: it always could. */
  get awayUntil(): number | undefined {
    return this.#hasFailed ? this.#options.clock.now() : this.#awayUntil;
  }

  /** Runs until `signal` is aborted, and tells the sink nothing after that. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pause = await this.#attempt(signal);
      await sleep(this.#options.clock, pause, signal);
    }
  }

  /** Lists if need be, watches as long as it goes, and returns the milliseconds to wait before the next attempt. */
  async #attempt(signal: AbortSignal): Promise<number> {
    this.#watchOpened = undefined;
    try {
      this.#resourceVersion ??= await this.#list(signal);
      await this.#watch(this.#resourceVersion, signal);
    } catch (error) {
      if (signal.aborted) return 0;
      if (this.#wasHealthy()) this.#backoff.reset();
      return this.#pauseAfter(error);
    } finally {
      this.#openWatch = undefined;
    }
    if (!this.#wasHealthy()) return this.#backoff.next();
    this.#backoff.reset();
    return 0;
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, kind, selection, sink, trim, pageSize = PAGE_SIZE, metrics, logger } = this.#options;
    metrics?.listed(kind.plural);
    const objects: Kept[] = [];
    let next: string | undefined;
    let resourceVersion = '';
    do {
      const page = await client.list(kind, {
        ...selection,
        limit: pageSize,
        signal,
        ...(next === undefined ? {} : { continue: next }),
      });
      signal.throwIfAborted();
      for (const object of page.items) objects.push(trim(object));
      resourceVersion = page.metadata.resourceVersion;
      next = page.metadata.continue;
    } while (next !== undefined && next !== '');
    if (this.#absent) logger.info({}, `the API server knows ${kind.plural} now`);
    this.#absent = false;
    logger.debug({ objects: objects.length, resourceVersion }, 'listed');
    sink.replace(objects);
    this.#heard = this.#options.clock.now();
    return resourceVersion;
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { client, kind, selection, random, clock, metrics } = this.#options;
    metrics?.watched(kind.plural);
    const events = client.watch(kind, {
      ...selection,
      resourceVersion,
      timeoutSeconds: WATCH_TIMEOUT_MIN + Math.floor(random() * WATCH_TIMEOUT_SPREAD),
      idleTimeout: WATCH_IDLE_TIMEOUT,
      signal,
      onOpen: () => {
        const now = clock.now();
        this.#watchOpened = now;
        this.#heard = now;
        this.#openWatch = { opened: now, heard: now };
        if (this.#hasFailed) this.#awayUntil = now;
        this.#hasFailed = false;
      },
    });
    for await (const event of events) {
      signal.throwIfAborted();
      if (event.type === 'ERROR') throw new ApiError(`watch ${kind.plural}`, event.object.code ?? 500, event.object);
      this.#take(event.type, event.object);
      this.#heard = clock.now();
      this.#openWatch = { opened: this.#watchOpened ?? 0, heard: this.#heard };
    }
    // A watch that the server ends in due form has told all that there was.
    this.#heard = clock.now();
  }

  #take(type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK', object: T): void {
    const { sink, trim } = this.#options;
    if (type === 'DELETED') sink.delete(trim(object));
    else if (type !== 'BOOKMARK') sink.put(trim(object));
    this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
  }

  #pauseAfter(error: unknown): number {
    const { kind, logger } = this.#options;
    const pause = this.#pauseAskedFor(error) ?? this.#backoff.next();
    // A server that refuses is there.
    this.#hasFailed ||= !(error instanceof ApiError) || error.status >= 500;
    if (isGone(error)) {
      this.#resourceVersion = undefined;
      logger.info({ err: error, pause }, `the watch of ${kind.plural} was too far behind; listing anew`);
    } else if (isNotFound(error)) {
      this.#notFound();
    } else if (this.#resourceVersion === undefined) {
      logger.warn({ err: error, pause }, `cannot list ${kind.plural}`);
    } else {
      logger.info({ err: error, pause }, `the watch of ${kind.plural} broke; resuming it`);
    }
    return pause;
  }

  /**
   * What an overloaded server says, or one that has just started: it knows better than the back-off, which would go on
   * growing when the server is back already. Spread, so that those whom it told so do not come back all at once.
   */
  #pauseAskedFor(error: unknown): number | undefined {
    const seconds = error instanceof ApiError ? error.body?.details?.retryAfterSeconds : undefined;
    if (seconds === undefined || seconds <= 0) return undefined;
    return Math.min(seconds * 1000, BACKOFF_MAX) + this.#options.random() * BACKOFF_BASE;
  }

  #notFound(): void {
    const { kind, logger, sink } = this.#options;
    if (this.#resourceVersion !== undefined) {
      // Of a watch: the list that follows decides.
      this.#resourceVersion = undefined;
    } else {
      if (!this.#absent) logger.info({}, `the API server does not know ${kind.plural}.${kind.group}; waiting for it`);
      this.#absent = true;
      sink.absent();
    }
  }

  #wasHealthy(): boolean {
    const { clock } = this.#options;
    return this.#watchOpened !== undefined && clock.now() - this.#watchOpened >= HEALTHY_AFTER;
  }
}
