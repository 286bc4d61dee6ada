import type { KubeClient } from '../client.ts';
import type { Selection } from '../request-options.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { keyOf, type Kind, type KubeObject, type ObjectMeta, type ObjectRef } from '../objects.ts';
import type { Cache, IndexFunction, Listener } from './cache.ts';
import { type Listing, type OpenWatch, Reflector } from './reflector.ts';
import { Packing } from './packing.ts';
import { Store } from './store.ts';

export interface CachedWatchOptions<T extends KubeObject> extends Selection {
  client: KubeClient;
  kind: Kind<T>;
  /** Index functions by name, for `byIndex`. */
  indexes?: Record<string, IndexFunction<T>>;
  /** Applied to each object before it is stored, after `metadata.managedFields` is removed; may modify the object. */
  transform?: (object: T) => T;
  /** The transform sees `metadata.managedFields`, and removes what is not needed of them. */
  keepsManagedFields?: boolean;
  /**
   * Keeps objects packed: in a tenth of the memory if there are many alike, for about 20 µs for each that is read. Readers get copies. Returns
   * the texts by which an object differs from others of its kind, besides its name and namespace.
   */
  pack?: ((object: T) => readonly string[]) | undefined;
  /** With `pack`: so many of the objects that were read or written last are kept unpacked, too, and shared by their readers. Default 0. */
  unpacked?: number;
  clock: Clock;
  /** Returns a number from [0, 1). */
  random?: () => number;
  logger: Logger;
  metrics?: Metrics | undefined;
}

/**
 * A cache of the objects of one kind, or a selection of them: a paged list, then a watch that is resumed after each
 * interruption. If the resource version has expired (410), it lists again and reports the differences, including
 * deletions. A kind that the server does not know (404) is `absent` until the server knows it; cached objects are kept
 * in the meantime.
 *
 * @example const pods = new CachedWatch({ client, kind: PODS, namespace: 'default', clock: systemClock, logger }); void
 * pods.run(signal); await pods.synced(); pods.get({ namespace: 'default', name: 'web-0' });
 */
export class CachedWatch<T extends KubeObject> implements Cache<T> {
  readonly kind: Kind<T>;
  readonly #options: CachedWatchOptions<T>;
  readonly #logger: Logger;
  readonly #store: Store<T>;
  readonly #waiting = new Set<() => void>();
  #reflector: Reflector<T> | undefined;
  #hasSynced = false;
  #absent = false;

  constructor(options: CachedWatchOptions<T>) {
    this.kind = options.kind;
    this.#options = options;
    this.#logger = options.logger.child({ kind: options.kind.kind });
    this.#store = new Store({
      indexes: options.indexes ?? {},
      packing: options.pack === undefined ? undefined : new Packing(options.pack),
      unpacked: options.unpacked,
      logger: this.#logger,
    });
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Whether the server did not know the kind in the last request. */
  get absent(): boolean {
    return this.#absent;
  }

  /** The open watch that keeps the objects current; undefined while no watch is open, when the objects may be stale. */
  get openWatch(): OpenWatch | undefined {
    return this.#reflector?.openWatch;
  }

  /** Time of the last data from the server, in clock ms: the age of the objects while no watch is open. */
  get heard(): number | undefined {
    return this.#reflector?.heard;
  }

  /**
   * Until when the server was unreachable, in clock ms; the current time while it is unreachable; undefined: never
   * unreachable.
   */
  get awayUntil(): number | undefined {
    return this.#reflector?.awayUntil;
  }

  /** Why the last request failed, such as a right that is missing; undefined while a watch is open. */
  get failure(): Error | undefined {
    return this.#reflector?.failure;
  }

  /**
   * Lists the objects once to check that the cache is current, and applies the answer; concurrent calls share one
   * request. For small selections whose watch has been silent: see {@link Reflector.confirm}. Never throws: `heard`
   * shows whether an answer came.
   */
  async confirm(): Promise<void> {
    await this.#reflector?.confirm((objects) => this.#hasSynced && this.#store.holds(objects));
  }

  get(ref: ObjectRef): T | undefined {
    return this.#store.get(ref);
  }

  /** Like {@link get}, with a key of {@link keyOf}: a frequent reader makes it once. */
  getByKey(key: string): T | undefined {
    return this.#store.getByKey(key);
  }

  list(namespace?: string): readonly T[] {
    return this.#store.list(namespace);
  }

  refs(namespace?: string): ObjectRef[] {
    return this.#store.refs(namespace);
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#store.byIndex(index, value);
  }

  refsByIndex(index: string, value: string): ObjectRef[] {
    return this.#store.refsByIndex(index, value);
  }

  subscribe(listener: Listener<T>): () => void {
    return this.#store.subscribe(listener);
  }

  /**
   * Resolves when the first list is complete. For an absent kind, that is after the kind has appeared.
   *
   * @throws the reason of `signal` if it is aborted first
   */
  async synced(signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#hasSynced, signal);
  }

  /** Like `synced`, but does not wait for an absent kind. */
  async settled(signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#hasSynced || this.#absent, signal);
  }

  /**
   * Runs until `signal` is aborted. Failures are logged and retried. The only error is a TypeError if it already runs.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#reflector !== undefined) throw new TypeError(`the cache of ${this.kind.plural} runs already`);
    const { client, kind, clock, random, metrics, namespace, labelSelector, fieldSelector } = this.#options;
    this.#reflector = new Reflector<T>({
      client,
      kind,
      selection: {
        ...(namespace === undefined ? {} : { namespace }),
        ...(labelSelector === undefined ? {} : { labelSelector }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
      },
      sink: {
        list: () => this.#listing(),
        put: (object) => {
          this.#store.put(object);
        },
        delete: (object) => {
          this.#store.delete(object);
        },
        absent: () => {
          this.#setAbsent(true);
        },
      },
      trim: (object) => this.#trim(object),
      clock,
      random: random ?? Math.random,
      logger: this.#logger,
      metrics,
    });
    try {
      await this.#reflector.run(signal);
    } finally {
      this.#reflector = undefined;
    }
  }

  #listing(): Listing<T> {
    const present = new Set<string>();
    return {
      page: (objects) => {
        for (const object of objects) {
          present.add(keyOf(object.metadata));
          this.#store.put(object);
        }
      },
      complete: () => {
        this.#store.retain(present);
        this.#hasSynced = true;
        this.#setAbsent(false);
      },
    };
  }

  #trim(object: T): T {
    const { transform, keepsManagedFields = false } = this.#options;
    if (!keepsManagedFields) {
      // Half of an object's size; the type omits them. The metadata is copied, because V8 stores an object with a deleted property as
      // a hash table, which needs several times the memory.
      const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
      object.metadata = metadata;
    }
    if (transform === undefined) return object;
    try {
      return transform(object);
    } catch (error) {
      this.#logger.error(
        { err: error, object: keyOf(object.metadata) },
        'the transform threw; keeping the object as it is',
      );
      return object;
    }
  }

  #setAbsent(absent: boolean): void {
    this.#absent = absent;
    for (const wake of [...this.#waiting]) wake();
  }

  async #until(condition: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#waiting.delete(check);
        signal?.removeEventListener('abort', abort);
        settle();
      };
      const check = (): void => {
        if (condition()) end(resolve);
      };
      const abort = (): void => {
        end(() => {
          reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
        });
      };
      this.#waiting.add(check);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}
