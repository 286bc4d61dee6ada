import { Backoff } from '../backoff.ts';
import type { KubeClient } from '../client.ts';
import type { Selection } from '../request-options.ts';
import { type Clock, sleep } from '../clock.ts';
import { ApiError, isGone, isNotFound } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { Kind, KubeObject } from '../objects.ts';

/** Receives the changes from a reflector, in order. */
export interface Sink<T> {
  /** A list begins. */
  list(): Listing<T>;
  put(object: T): void;
  delete(object: T): void;
  /** The server does not know the kind. */
  absent(): void;
}

/** Receives one list, page by page; nothing more if the list fails. */
export interface Listing<T> {
  /** Each object is in a later state than what the sink was told before. */
  page(objects: readonly T[]): void;
  /** There are no objects besides those of the pages. */
  complete(): void;
}

export interface ReflectorOptions<T extends KubeObject, Kept> {
  client: KubeClient;
  kind: Kind<T>;
  selection: Selection;
  sink: Sink<Kept>;
  /** Reduces an object to the kept part, directly after parsing. */
  trim: (object: T) => Kept;
  /** Page size of lists. Default 250; smaller pages take longer and create less garbage. */
  pageSize?: number;
  clock: Clock;
  /** Returns a number from [0, 1). */
  random: () => number;
  logger: Logger;
  metrics?: Metrics | undefined;
}

/** An open watch; times in clock ms. */
export interface OpenWatch {
  /** When the server accepted the watch. */
  readonly opened: number;
  /** When the server last sent something on it: the response head, a change or a bookmark; or answered `confirm`. */
  readonly heard: number;
}

/** A page is parsed in about 5 ms, and its text is small compared with the kept objects. */
const PAGE_SIZE = 250;
/** Upper bounds of the delays between attempts, in milliseconds. */
const BACKOFF_BASE = 800;
// A watch is back within 15 s after the API server, however long the outage was.
const BACKOFF_MAX = 10_000;
/** Seconds after which the server ends a watch; randomised, so that watches do not all reconnect at the same time. */
const WATCH_TIMEOUT_MIN = 300;
const WATCH_TIMEOUT_SPREAD = 300;
/**
 * Milliseconds after which a silent watch is reopened at its last resource version: its connection may be dead.
 * kube-apiserver sends a bookmark about once a minute, unless nothing changes and etcd sends no progress notifications.
 */
const WATCH_IDLE_TIMEOUT = 120_000;
/** A watch that lasted this many milliseconds counts as a success. */
const HEALTHY_AFTER = 1000;
/** Timeout of `confirm` in milliseconds. The next request may use another connection. */
const CONFIRM_TIMEOUT = 10_000;

/**
 * Follows one kind on the API server with list and watch, and recovers from failures of both. It stores no objects;
 * `CachedWatch` does.
 */
export class Reflector<T extends KubeObject, Kept = T> {
  readonly #options: ReflectorOptions<T, Kept>;
  readonly #backoff: Backoff;
  /** Resource version at which the watch resumes; undefined: list again. */
  #resourceVersion: string | undefined;
  #watchOpened: number | undefined;
  #openWatch: OpenWatch | undefined;
  #heard: number | undefined;
  #hasFailed = false;
  #awayUntil: number | undefined;
  #failure: Error | undefined;
  #absent = false;
  /** Number of changes and pages passed to the sink. */
  #told = 0;
  /** Undefined while the reflector is not running. */
  #signal: AbortSignal | undefined;
  /** Aborted to continue immediately from `#resourceVersion`. */
  #attempt = new AbortController();
  #confirming: Promise<void> | undefined;

  constructor(options: ReflectorOptions<T, Kept>) {
    this.#options = options;
    this.#backoff = new Backoff({ base: BACKOFF_BASE, max: BACKOFF_MAX, random: options.random });
  }

  /** Undefined while no watch is open. */
  get openWatch(): OpenWatch | undefined {
    return this.#openWatch;
  }

  /**
   * When the server last sent data: a list, a change, a bookmark, or the normal end of a watch. The acceptance of a
   * watch does not count. In clock ms; undefined: never.
   */
  get heard(): number | undefined {
    return this.#heard;
  }

  /**
   * Until when the server was unreachable, in clock ms; the current time while it is unreachable; undefined: never
   * unreachable.
   */
  get awayUntil(): number | undefined {
    return this.#hasFailed ? this.#options.clock.now() : this.#awayUntil;
  }

  /** Why the last request failed; undefined while a watch is open, or the server was not asked yet. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Runs until `signal` is aborted. The sink is not called after that. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    while (!signal.aborted) {
      this.#attempt = new AbortController();
      const either = AbortSignal.any([signal, this.#attempt.signal]);
      const pause = await this.#tryOnce(either);
      await sleep(this.#options.clock, pause, either);
    }
  }

  /**
   * Lists once to check that the sink's state is current: a watch may be silent because nothing changes or because its
   * connection is dead. Concurrent calls share the request. Resolves when the answer has arrived, or after 10 s without
   * one; `heard` shows which. It lists all objects, so it is for small selections.
   *
   * A list without a resourceVersion is a read at etcd's current revision: kube-apiserver reads from etcd, or from its
   * cache once that has caught up with etcd. So the answer was true at some time after the request, and `heard` becomes
   * the time of the request. If the answer differs, the watch is behind: the sink gets the list, and a new watch starts
   * from it. If the watch has delivered a change in the meantime, the answer may be older and is dropped.
   *
   * @param agrees whether these are the stored objects, each in the stored version
   */
  async confirm(agrees: (objects: readonly Kept[]) => boolean): Promise<void> {
    const signal = this.#signal;
    if (signal === undefined || signal.aborted) return;
    this.#confirming ??= this.#confirm(agrees, signal).finally(() => {
      this.#confirming = undefined;
    });
    await this.#confirming;
  }

  async #confirm(agrees: (objects: readonly Kept[]) => boolean, signal: AbortSignal): Promise<void> {
    const { clock, kind, logger } = this.#options;
    const asked = clock.now();
    const told = this.#told;
    const late = new AbortController();
    const timer = clock.setTimeout(() => {
      late.abort(new Error(`no answer within ${CONFIRM_TIMEOUT / 1000} s`));
    }, CONFIRM_TIMEOUT);
    try {
      const objects: Kept[] = [];
      const resourceVersion = await this.#read(AbortSignal.any([signal, late.signal]), (page) => {
        objects.push(...page);
      });
      if (told !== this.#told) return;
      this.#heard = asked;
      if (this.#openWatch !== undefined) this.#openWatch = { ...this.#openWatch, heard: asked };
      if (agrees(objects)) return;
      logger.info({ resourceVersion }, `the watch of ${kind.plural} was behind; opening it anew`);
      this.#resourceVersion = resourceVersion;
      this.#attempt.abort();
      const listing = this.#options.sink.list();
      this.#page(listing, objects);
      this.#complete(listing);
    } catch (error) {
      if (!signal.aborted) logger.debug({ err: error }, `cannot confirm ${kind.plural}`);
    } finally {
      timer.cancel();
    }
  }

  /** Lists if necessary, watches until the watch ends, and returns the milliseconds to wait before the next attempt. */
  async #tryOnce(signal: AbortSignal): Promise<number> {
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
    const { kind, clock, sink, metrics, logger } = this.#options;
    metrics?.listed(kind.plural);
    const listing = sink.list();
    let count = 0;
    // The pages are of one state of the server, and no watch is open: so each may be told at once, and a long list is never in memory in full.
    const resourceVersion = await this.#read(signal, (page) => {
      count += page.length;
      this.#page(listing, page);
    });
    logger.debug({ objects: count, resourceVersion }, 'listed');
    this.#complete(listing);
    this.#heard = clock.now();
    return resourceVersion;
  }

  #page(listing: Listing<Kept>, objects: readonly Kept[]): void {
    this.#told += 1;
    listing.page(objects);
  }

  #complete(listing: Listing<Kept>): void {
    const { kind, logger } = this.#options;
    if (this.#absent) logger.info({}, `the API server knows ${kind.plural} now`);
    this.#absent = false;
    listing.complete();
  }

  /**
   * Reads all pages.
   *
   * @returns the resource version of the list
   */
  async #read(signal: AbortSignal, take: (page: readonly Kept[]) => void): Promise<string> {
    const { client, kind, selection, trim, pageSize = PAGE_SIZE } = this.#options;
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
      take(page.items.map(trim));
      resourceVersion = page.metadata.resourceVersion;
      next = page.metadata.continue;
    } while (next !== undefined && next !== '');
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
        this.#openWatch = { opened: now, heard: now };
        if (this.#hasFailed) this.#awayUntil = now;
        this.#hasFailed = false;
        this.#failure = undefined;
      },
    });
    for await (const event of events) {
      signal.throwIfAborted();
      if (event.type === 'ERROR') throw new ApiError(`watch ${kind.plural}`, event.object.code ?? 500, event.object);
      this.#take(event.type, event.object);
      this.#heard = clock.now();
      this.#openWatch = { opened: this.#watchOpened ?? 0, heard: this.#heard };
    }
    signal.throwIfAborted();
    // A watch that the server ends normally has delivered all changes.
    this.#heard = clock.now();
  }

  #take(type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK', object: T): void {
    const { sink, trim } = this.#options;
    if (type !== 'BOOKMARK') this.#told += 1;
    if (type === 'DELETED') sink.delete(trim(object));
    else if (type !== 'BOOKMARK') sink.put(trim(object));
    this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
  }

  #pauseAfter(error: unknown): number {
    const { kind, logger } = this.#options;
    const pause = this.#pauseAskedFor(error) ?? this.#backoff.next();
    // A server that sends an error response is reachable.
    this.#hasFailed ||= !(error instanceof ApiError) || error.status >= 500;
    this.#failure = error instanceof Error ? error : new Error(String(error));
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
   * The Retry-After of a server that is overloaded or starting. It replaces the back-off, which could be longer than
   * needed. A random time is added, so that clients do not all retry at the same time.
   */
  #pauseAskedFor(error: unknown): number | undefined {
    const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
    if (seconds === undefined || seconds <= 0) return undefined;
    return Math.min(seconds * 1000, BACKOFF_MAX) + this.#options.random() * BACKOFF_BASE;
  }

  #notFound(): void {
    const { kind, logger, sink } = this.#options;
    if (this.#resourceVersion !== undefined) {
      // The error is from a watch: list again.
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
