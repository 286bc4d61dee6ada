import {
  CachedWatch,
  type Clock,
  keyOf,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
  type ObjectRef,
  sleep,
} from '@groundcrew/controller-runtime';

export interface NamedWatchesOptions {
  client: KubeClient;
  namespace: string;
  clock: Clock;
  logger: Logger;
}

/** Maximum milliseconds that a client waits for the API server: IPMI clients give up after about four seconds. */
const PATIENCE = 2000;

/** The watch of one object. */
export interface ObjectWatch<T extends KubeObject> {
  /** Undefined if it does not exist, or while `hasSettled` is false. */
  readonly object: T | undefined;
  /** Why `object` is undefined although it exists. */
  readonly withheld?: string | undefined;
  /** Whether the watch has started, or the server does not know the kind. */
  readonly hasSettled: boolean;
  /** Whether `object` is recent enough to rely on. */
  readonly isFresh: boolean;
  /** Reads the object from the API server if it is not fresh. Resolves after 2 s at the latest; never rejects. */
  refresh(): Promise<void>;
  /**
   * Reads it from the API server, if nothing watches it: this is the only way to see a change then. Absent: a watch does.
   *
   * @throws ApiError, TransportError
   */
  read?(signal?: AbortSignal): Promise<T | undefined>;
  stop(): void;
}

/** Provides the watches of a BMC. */
export interface ObjectWatches {
  /** `onChange` is called whenever `object` or `hasSettled` may have changed. */
  watch<T extends KubeObject>(kind: Kind<T>, name: string, onChange: () => void): ObjectWatch<T>;
}

/** Watches objects by name: a dedicated agent may watch no others (`resourceNames` in its Role). */
export class NamedWatches implements ObjectWatches {
  readonly #options: NamedWatchesOptions;

  constructor(options: NamedWatchesOptions) {
    this.#options = options;
  }

  watch<T extends KubeObject>(kind: Kind<T>, name: string, onChange: () => void): ObjectWatch<T> {
    const { clock, namespace } = this.#options;
    const stop = new AbortController();
    const cache = new CachedWatch<T>({ ...this.#options, kind, fieldSelector: `metadata.name=${name}` });
    cache.subscribe(onChange);
    void cache.run(stop.signal);
    cache.settled(stop.signal).then(onChange, () => undefined);
    return new ObjectInCache(cache, { namespace, name }, clock, () => {
      stop.abort();
    });
  }
}

/** One object of a cache. */
export class ObjectInCache<T extends KubeObject> implements ObjectWatch<T> {
  readonly #cache: CachedWatch<T>;
  readonly #key: string;
  readonly #clock: Clock;
  readonly #stop: () => void;

  constructor(cache: CachedWatch<T>, ref: ObjectRef, clock: Clock, stop: () => void) {
    this.#cache = cache;
    this.#key = keyOf(ref);
    this.#clock = clock;
    this.#stop = stop;
  }

  get object(): T | undefined {
    return this.#cache.getByKey(this.#key);
  }

  get hasSettled(): boolean {
    return this.#cache.hasSynced || this.#cache.absent;
  }

  get isFresh(): boolean {
    return isFresh(this.#cache, this.#clock.now());
  }

  async refresh(): Promise<void> {
    if (this.isFresh) return;
    const answered = new AbortController();
    const answer = this.#cache.confirm().finally(() => {
      answered.abort();
    });
    await Promise.race([answer, sleep(this.#clock, PATIENCE, answered.signal)]);
  }

  stop(): void {
    this.#stop();
  }
}

/** Milliseconds; more than the minute between bookmarks, so that the API server is only asked if it sends none. */
const SILENCE = 90_000;
/** Milliseconds that reopening a watch may take. */
const GAP = 10_000;
/** Milliseconds in which a reopened watch delivers missed events. */
const CATCH_UP = 1000;

/**
 * Whether the cache of a watch is recent enough to rely on. Clients use the power state for fencing: a machine that was off
 * when the connection broke may have been started since.
 */
export function isFresh<T extends KubeObject>(
  { openWatch, heard }: Pick<CachedWatch<T>, 'openWatch' | 'heard'>,
  now: number,
): boolean {
  if (openWatch !== undefined && now - openWatch.opened >= CATCH_UP) return isWithin(SILENCE, openWatch.heard, now);
  return heard !== undefined && isWithin(GAP, heard, now);
}

/** False if the clock was set back: the elapsed time is unknown. */
function isWithin(span: number, heard: number, now: number): boolean {
  return now >= heard && now - heard <= span;
}
