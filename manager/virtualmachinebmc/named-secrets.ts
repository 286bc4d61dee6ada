import {
  identityOf,
  isAsNew,
  keyOf,
  metadataOf,
  Reflector,
  SECRETS,
  type KubeObject,
  type ObjectRef,
  type ReflectorOptions,
  type Secret,
  type Sink,
  type Source,
  type Timer,
} from '@groundcrew/controller-runtime';

export interface NamedSecretsOptions extends Pick<
  ReflectorOptions<KubeObject, KubeObject>,
  'client' | 'clock' | 'logger' | 'metrics'
> {
  /** Absent: all namespaces. */
  namespace?: string | undefined;
  /** Returns a number from [0, 1). */
  random?: () => number;
  /** The keys of its data to keep. */
  keys: readonly string[];
}

interface InUse {
  ref: ObjectRef;
  /** Objects that refer to this Secret, by key. */
  wanters: Map<string, ObjectRef>;
  secret: Secret | 'Missing' | undefined;
  /** Whether the server may have another state than `secret`. */
  isStale: boolean;
  /** The newest metadata from the watch. */
  told?: KubeObject;
  reading?: Promise<void> | undefined;
}

/** Milliseconds after which a Secret that could not be read is read again. */
const RETRY = 10_000;

/**
 * The Secrets that objects refer to. One watch says which Secrets have changed; it receives only metadata, so the data of other Secrets
 * never reaches the manager. The data of a Secret that an object refers to is read by name. As a source it enqueues the objects that
 * refer to a changed Secret.
 */
export class NamedSecrets implements Source {
  readonly #options: NamedSecretsOptions;
  readonly #inUse = new Map<string, InUse>();
  /** Keys of each object's Secrets, by the object's key. */
  readonly #wants = new Map<string, readonly string[]>();
  readonly #listeners = new Set<(ref: ObjectRef) => void>();
  readonly #retries = new Set<Timer>();

  constructor(options: NamedSecretsOptions) {
    this.#options = options;
  }

  /** Replaces the Secrets of `wanter`. */
  want(wanter: ObjectRef, secrets: readonly ObjectRef[]): void {
    const wanterKey = keyOf(wanter);
    const next = secrets.map(keyOf);
    for (const key of this.#wants.get(wanterKey) ?? []) if (!next.includes(key)) this.#drop(wanterKey, key);
    if (next.length === 0) this.#wants.delete(wanterKey);
    else this.#wants.set(wanterKey, next);
    for (const ref of secrets) {
      const key = keyOf(ref);
      const inUse = this.#inUse.get(key) ?? { ref, wanters: new Map(), secret: undefined, isStale: true };
      inUse.wanters.set(wanterKey, wanter);
      this.#inUse.set(key, inUse);
    }
  }

  /** Reads a Secret in use from the server unless its state is known. Failures are logged and retried. */
  async load(ref: ObjectRef): Promise<void> {
    const inUse = this.#inUse.get(keyOf(ref));
    if (inUse === undefined || !inUse.isStale) return;
    inUse.reading ??= this.#read(inUse).finally(() => {
      inUse.reading = undefined;
    });
    await inUse.reading;
  }

  /** The known state of a Secret in use. */
  read(ref: ObjectRef): { state: 'Unread' | 'Missing' } | { state: 'Found'; secret: Secret } {
    const secret = this.#inUse.get(keyOf(ref))?.secret;
    if (secret === undefined) return { state: 'Unread' };
    return secret === 'Missing' ? { state: 'Missing' } : { state: 'Found', secret };
  }

  /** Records the answer to a write. */
  note(secret: Secret): void {
    const inUse = this.#inUse.get(keyOf(secret.metadata));
    if (inUse === undefined) return;
    inUse.secret = withKeysAlone(secret, this.#options.keys);
    inUse.isStale = inUse.told !== undefined && !isAsTold(inUse);
  }

  /** Watches until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, random = Math.random, logger, metrics } = this.#options;
    await new Reflector<KubeObject>({
      ...{ client, clock, random, logger, metrics },
      kind: metadataOf(SECRETS),
      selection: namespace === undefined ? {} : { namespace },
      sink: this.#sink,
      trim: withVersionAlone,
    }).run(signal);
    for (const timer of this.#retries) timer.cancel();
  }

  start(enqueue: (ref: ObjectRef) => void): () => void {
    this.#listeners.add(enqueue);
    return () => this.#listeners.delete(enqueue);
  }

  get #sink(): Sink<KubeObject> {
    const changed = (object: KubeObject): void => {
      const inUse = this.#inUse.get(keyOf(object.metadata));
      if (inUse === undefined) return;
      inUse.told = object;
      if (isAsTold(inUse)) delete inUse.told;
      else this.#suspect(inUse);
    };
    return {
      list: () => {
        const present = new Set<string>();
        return {
          page: (objects) => {
            for (const object of objects) {
              present.add(keyOf(object.metadata));
              changed(object);
            }
          },
          complete: () => {
            for (const [key, inUse] of this.#inUse) {
              if (!present.has(key) && inUse.secret !== 'Missing') this.#suspect(inUse);
            }
          },
        };
      },
      put: changed,
      delete: changed,
      absent: () => undefined,
    };
  }

  /** To be read again by the reconciles of the objects that refer to it. */
  #suspect(inUse: InUse): void {
    inUse.isStale = true;
    for (const listener of this.#listeners) for (const wanter of inUse.wanters.values()) listener(wanter);
  }

  async #read(inUse: InUse): Promise<void> {
    const { client, clock, logger, keys } = this.#options;
    // A change during the read makes it stale again.
    inUse.isStale = false;
    try {
      const secret = await client.find(SECRETS, inUse.ref);
      inUse.secret = secret === undefined ? 'Missing' : withKeysAlone(secret, keys);
      if (isAsTold(inUse)) inUse.isStale = false;
      delete inUse.told;
    } catch (error) {
      inUse.isStale = true;
      logger.warn({ err: error, secret: keyOf(inUse.ref) }, 'cannot read a Secret; trying again');
      const retry = clock.setTimeout(() => {
        this.#retries.delete(retry);
        if (inUse.isStale) this.#suspect(inUse);
      }, RETRY);
      this.#retries.add(retry);
    }
  }

  #drop(wanterKey: string, secretKey: string): void {
    const inUse = this.#inUse.get(secretKey);
    inUse?.wanters.delete(wanterKey);
    if (inUse?.wanters.size === 0) this.#inUse.delete(secretKey);
  }
}

/** Whether the Secret as it was read is not older than what the watch has said. */
function isAsTold({ secret, told }: InUse): boolean {
  return told !== undefined && secret !== undefined && secret !== 'Missing' && isAsNew(secret, told);
}

/** Annotations may hold a copy of the data: `kubectl apply` keeps one there. */
function withVersionAlone({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: identityOf(metadata) };
}

function withKeysAlone(secret: Secret, keys: readonly string[]): Secret {
  const kept = Object.entries(secret.data ?? {}).filter(([key]) => keys.includes(key));
  return { ...withVersionAlone(secret), data: Object.fromEntries(kept) };
}
