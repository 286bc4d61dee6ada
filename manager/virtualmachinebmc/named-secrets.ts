import {
  CachedWatch,
  keyOf,
  SECRETS,
  type CachedWatchOptions,
  type ObjectRef,
  type Secret,
  type Source,
} from '@groundcrew/controller-runtime';

export interface NamedSecretsOptions extends Pick<
  CachedWatchOptions<Secret>,
  'client' | 'clock' | 'random' | 'logger' | 'metrics'
> {
  /** The keys of its data to keep. */
  keys: readonly string[];
}

interface Watched {
  cache: CachedWatch<Secret>;
  /** Objects that refer to this Secret, by key. */
  wanters: Map<string, ObjectRef>;
  stop: AbortController;
}

/**
 * Watches only the Secrets that objects refer to: one watch per Secret, by name, for as long as it is referred to. As a
 * source it enqueues the objects that refer to a changed Secret.
 */
export class NamedSecrets implements Source {
  readonly #options: NamedSecretsOptions;
  readonly #watched = new Map<string, Watched>();
  /** Key of each object's Secret, by the object's key. */
  readonly #wants = new Map<string, string>();
  readonly #listeners = new Set<(ref: ObjectRef) => void>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(options: NamedSecretsOptions) {
    this.#options = options;
  }

  /** Replaces the Secret of `wanter`; undefined: it refers to none. */
  want(wanter: ObjectRef, secret: ObjectRef | undefined): void {
    const wanterKey = keyOf(wanter);
    const before = this.#wants.get(wanterKey);
    const next = secret === undefined ? undefined : keyOf(secret);
    if (before === next) return;
    if (before !== undefined) this.#drop(wanterKey, before);
    if (secret === undefined || next === undefined) {
      this.#wants.delete(wanterKey);
      return;
    }
    this.#wants.set(wanterKey, next);
    const watched = this.#watched.get(next) ?? this.#begin(next, secret);
    watched.wanters.set(wanterKey, wanter);
  }

  /** The known state of a Secret in use. */
  read(ref: ObjectRef): { state: 'Unread' | 'Missing' } | { state: 'Found'; secret: Secret } {
    const cache = this.#watched.get(keyOf(ref))?.cache;
    const secret = cache?.get(ref);
    if (secret !== undefined) return { state: 'Found', secret };
    return { state: cache?.hasSynced === true ? 'Missing' : 'Unread' };
  }

  /** Watches until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const watched of this.#watched.values()) this.#watch(watched);
    if (!signal.aborted)
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve, { once: true });
      });
    for (const { stop } of this.#watched.values()) stop.abort();
    await Promise.all(this.#running);
  }

  start(enqueue: (ref: ObjectRef) => void): () => void {
    this.#listeners.add(enqueue);
    return () => this.#listeners.delete(enqueue);
  }

  #begin(key: string, ref: ObjectRef): Watched {
    const cache = new CachedWatch({
      ...this.#options,
      kind: SECRETS,
      ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
      fieldSelector: `metadata.name=${ref.name}`,
      transform: withKeysAlone(this.#options.keys),
    });
    const watched: Watched = { cache, wanters: new Map(), stop: new AbortController() };
    this.#watched.set(key, watched);
    cache.subscribe(() => {
      this.#tell(watched);
    });
    // A missing Secret causes no change event.
    cache.synced(watched.stop.signal).then(
      () => {
        this.#tell(watched);
      },
      () => undefined, // no longer in use
    );
    if (this.#signal?.aborted === false) this.#watch(watched);
    return watched;
  }

  #watch({ cache, stop }: Watched): void {
    const run = cache.run(stop.signal).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  #drop(wanterKey: string, secretKey: string): void {
    const watched = this.#watched.get(secretKey);
    watched?.wanters.delete(wanterKey);
    if (watched?.wanters.size !== 0) return;
    watched.stop.abort();
    this.#watched.delete(secretKey);
  }

  #tell({ wanters }: Watched): void {
    for (const listener of this.#listeners) for (const wanter of wanters.values()) listener(wanter);
  }
}

/** Drops unused data, such as the copy that `kubectl apply` keeps in annotations. */
function withKeysAlone(keys: readonly string[]) {
  return ({ apiVersion, kind, metadata, data = {} }: Secret): Secret => {
    const { annotations: _, ...rest } = metadata;
    const kept = Object.entries(data).filter(([key]) => keys.includes(key));
    return { apiVersion, kind, metadata: rest, data: Object.fromEntries(kept) };
  };
}
