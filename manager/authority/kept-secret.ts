import {
  CachedWatch,
  isAlreadyExists,
  isConflict,
  SECRETS,
  sleep,
  unlessGone,
  type Clock,
  type KubeClient,
  type Logger,
  type Secret,
} from '@groundcrew/controller-runtime';

export interface KeptSecretOptions<T extends object> {
  client: KubeClient;
  /** The manager's namespace. */
  namespace: string;
  name: string;
  /** Description for log lines: `certificates of the admission server`. */
  what: string;
  clock: Clock;
  logger: Logger;
  /** The value in a Secret; undefined if it is incomplete. */
  read: (secret: Secret) => T | undefined;
  /** The data of a Secret for the value. */
  dataOf: (value: T) => Record<string, string>;
  /** The value with all due changes; `known` itself if nothing is due. */
  maintained: (known: T | undefined, now: number) => Promise<T>;
  /**
   * Publishes the value of the Secret before {@link KeptSecret.current} returns it. Called at every check.
   *
   * @returns the value to store from then on; the same object if it does not change
   */
  published?: (value: T) => Promise<T>;
  /** Watches the published object: a change causes a check and a new publication. */
  publication?: { run(signal: AbortSignal): Promise<void>; subscribe(listener: () => void): () => void };
  /** Whether a deleted Secret is restored with the same value instead of a new one. */
  comesBack: boolean;
}

/** Milliseconds between two checks of what is due. */
const LOOK_AGAIN = 3_600_000;
const RETRY = 2_000;
/** Number of immediate checks in a row. Each write causes a check, and two writers that revert each other would otherwise loop. */
const HASTY_LOOKS = 10;

/**
 * Keeps in one Secret a value that all replicas of the manager share, and reports changes. Several replicas may work at
 * once: the creation of the Secret decides between them, and its resource version between their updates.
 */
export class KeptSecret<T extends object> {
  readonly #options: KeptSecretOptions<T>;
  readonly #watch: CachedWatch<Secret>;
  readonly #listeners = new Set<(value: T) => void>();
  #current: { value: T; uid: string | undefined; resourceVersion: string } | undefined;

  constructor(options: KeptSecretOptions<T>) {
    const { client, namespace, name, clock, logger } = options;
    this.#options = options;
    const fieldSelector = `metadata.name=${name}`;
    this.#watch = new CachedWatch({ client, kind: SECRETS, namespace, fieldSelector, clock, logger });
  }

  /** Undefined until it has been read or created. */
  get current(): T | undefined {
    return this.#current?.value;
  }

  /** Calls the listener once a value exists, and after each change. Returns a function that ends the subscription. */
  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    if (this.#current !== undefined) listener(this.#current.value);
    return () => this.#listeners.delete(listener);
  }

  /** Runs until `signal` is aborted; logs and retries failures. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, what, publication } = this.#options;
    let wake = new AbortController();
    const watches = [this.#watch, ...(publication === undefined ? [] : [publication])];
    const ends = watches.map((watch) =>
      watch.subscribe(() => {
        wake.abort();
      }),
    );
    const reading = watches.map((watch) => watch.run(signal));
    let hasty = 0;
    let looked = -Infinity;
    while (!signal.aborted) {
      let pause = LOOK_AGAIN;
      wake = new AbortController();
      hasty = clock.now() - looked < 2 * RETRY ? hasty + 1 : 0;
      looked = clock.now();
      try {
        await this.#keep();
      } catch (error) {
        pause = RETRY;
        // Another replica wrote first: read its Secret on the retry.
        if (!isConflict(error) && !isAlreadyExists(error))
          logger.error({ err: error }, `the ${what} could not be kept; trying again`);
      }
      if (hasty >= HASTY_LOOKS) await sleep(clock, RETRY, signal);
      await sleep(clock, pause, AbortSignal.any([signal, wake.signal]));
    }
    for (const end of ends) end();
    await Promise.all(reading);
  }

  async #keep(): Promise<void> {
    const { client, namespace, name, clock, comesBack, read, maintained, published } = this.#options;
    const secret = await client.find(SECRETS, { namespace, name });
    const known = secret === undefined ? (comesBack ? this.current : undefined) : read(secret);
    const value = await maintained(known, clock.now());
    const isThere = secret !== undefined && value === known;
    const written = isThere ? secret : await this.#write(secret, value);
    // The watch reports the current Secret.
    if (written === undefined) return;
    const told = (await published?.(value)) ?? value;
    const last = told === value ? written : await this.#write(written, told);
    if (last !== undefined) this.#take(told, last);
  }

  /** @returns undefined if the Secret was deleted since it was read */
  async #write(secret: Secret | undefined, value: T): Promise<Secret | undefined> {
    const { client, namespace, name, what, logger } = this.#options;
    const data = this.#options.dataOf(value);
    const metadata = { namespace, name };
    const written =
      secret === undefined
        ? await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data })
        : // With the resource version that was read: of two concurrent writes, one gets a conflict.
          await unlessGone(() => client.replace(SECRETS, { ...secret, data }));
    logger.info({ secret: name }, `wrote the ${what}`);
    return written;
  }

  #take(value: T, { metadata }: Secret): void {
    const { uid, resourceVersion = '' } = metadata;
    if (this.#current?.resourceVersion === resourceVersion && this.#current.uid === uid) return;
    this.#current = { value, uid, resourceVersion };
    for (const listener of this.#listeners) listener(value);
  }
}
