import type { KubeClient, Selection } from '../client.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics/index.ts';
import { keyOf } from '../object-key.ts';
import type { Kind, KubeObject, ObjectMeta, ObjectRef } from '../objects.ts';
import type { Cache, IndexFunction, Listener } from './cache.ts';
import { Reflector, type OpenWatch } from './reflector.ts';
import { Store } from './store.ts';

export interface CachedWatchOptions<T extends KubeObject> extends Selection {
  client: KubeClient;
  kind: Kind<T>;
  /** Functions by the name that `byIndex` calls them. */
  indexes?: Record<string, IndexFunction<T>>;
  /** Applied to each object before it is kept, after `metadata.managedFields` has been taken out; may change it. */
  transform?: (object: T) => T;
  clock: Clock;
  /** From [0, 1). */
  random?: () => number;
  logger: Logger;
  metrics?: Metrics | undefined;
}

/**
 * Keeps the objects of one kind, or a selection of them, as the API server has them: a paged list, then a watch that
 * is resumed wherever it breaks. Where the server no longer knows the way from there (410), it lists anew and tells
 * of the difference, deletions included. A kind that the server does not know (404) is `absent` until it does; what
 * was known of it before is kept meanwhile.
 *
 * @example
 * const pods = new CachedWatch({ client, kind: PODS, namespace: 'default', clock: systemClock, logger });
 * void pods.run(signal);
 * await pods.synced();
 * pods.get({ namespace: 'default', name: 'web-0' });
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
    this.#store = new Store({ indexes: options.indexes ?? {}, logger: this.#logger });
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Whether the server, when it was last asked, did not know the kind. */
  get absent(): boolean {
    return this.#absent;
  }

  /** The watch by which the objects are kept current; undefined while none is open, and they may be behind. */
  get openWatch(): OpenWatch | undefined {
    return this.#reflector?.openWatch;
  }

  /** When the server last told what there is, in ms as the clock has it: how old the objects may be while no watch is open. */
  get heard(): number | undefined {
    return this.#reflector?.heard;
  }

  /** Until when the server could not be reached, which is now while it cannot, in ms as the clock has it; undefined: it always could. */
  get awayUntil(): number | undefined {
    return this.#reflector?.awayUntil;
  }

  /**
   * Asks the server whether the objects are still what there is, and takes over what it answers; one request, however many ask for it. For
   * small selections whose watch has been silent: see {@link Reflector.confirm}. Never throws: `heard` tells whether an answer came.
   */
  async confirm(): Promise<void> {
    await this.#reflector?.confirm((objects) => this.#hasSynced && this.#store.holds(objects));
  }

  get(ref: ObjectRef): T | undefined {
    return this.#store.get(ref);
  }

  list(namespace?: string): readonly T[] {
    return this.#store.list(namespace);
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#store.byIndex(index, value);
  }

  subscribe(listener: Listener<T>): () => void {
    return this.#store.subscribe(listener);
  }

  /**
   * Resolves when the first list is in: for a kind that is absent, when it has appeared.
   *
   * @throws the reason of `signal`, when it is aborted first
   */
  async synced(signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#hasSynced, signal);
  }

  /** Like `synced`, but a kind that is absent is not waited for. */
  async settled(signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#hasSynced || this.#absent, signal);
  }

  /**
   * Follows the API server until `signal` is aborted. Failures are logged and tried again; it never throws, but for
   * TypeError when it runs already.
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
        replace: (objects) => {
          this.#store.replace(objects);
          this.#hasSynced = true;
          this.#setAbsent(false);
        },
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

  #trim(object: T): T {
    // Half of an object's size, and of no use to a reader; the type leaves it out. Copied, since V8 keeps an object
    // that a property was deleted from as a hash table, at several times the memory.
    const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
    object.metadata = metadata;
    const { transform } = this.#options;
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
