import {
  CachedWatch,
  isAlreadyExists,
  isConflict,
  isNotFound,
  SECRETS,
  sleep,
  type Clock,
  type KubeClient,
  type Logger,
  type Secret,
} from '@groundcrew/controller-runtime';

export interface KeptSecretOptions<T extends object> {
  client: KubeClient;
  /** The manager's own. */
  namespace: string;
  name: string;
  /** What it holds, in log lines: `certificates of the admission server`. */
  what: string;
  clock: Clock;
  logger: Logger;
  /** What a Secret holds; undefined where it holds nothing whole. */
  read: (secret: Secret) => T | undefined;
  /** The data of a Secret that holds it. */
  dataOf: (value: T) => Record<string, string>;
  /** What should be there now; `known` itself where nothing is due. */
  maintained: (known: T | undefined, now: number) => Promise<T>;
  /**
   * Tells others of what stands in the Secret, before {@link KeptSecret.current} does. Called at every look.
   *
   * @returns what is to stand there from then on: the same where that is no matter
   */
  published?: (value: T) => Promise<T>;
  /** Where others are told: what happens there is a reason to look, and to tell them again. */
  publication?: { run(signal: AbortSignal): Promise<void>; subscribe(listener: () => void): () => void };
  /** Whether one that somebody has deleted comes back with what it held, rather than anew. */
  comesBack: boolean;
}

/** Milliseconds between two looks at what is due, and after a failure. */
const LOOK_AGAIN = 3_600_000;
const RETRY = 2_000;
/** Looks that may follow each other at once: what this one writes wakes it, and two that write against each other would never rest. */
const HASTY_LOOKS = 10;

/**
 * Keeps in one Secret what all replicas of the manager share, and tells of what is there. Several replicas do so at a time: creating
 * the Secret decides between them, and its resource version between their changes.
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

  /** Undefined until it has been read or made. */
  get current(): T | undefined {
    return this.#current?.value;
  }

  /** Calls the listener as soon as there is something, and whenever it changes. Returns what ends it. */
  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    if (this.#current !== undefined) listener(this.#current.value);
    return () => this.#listeners.delete(listener);
  }

  /** Runs until `signal` is aborted; failures are logged and tried again. */
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
        // Another replica was first: its Secret is read in a moment.
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
    // What is there by now the watch tells of.
    if (written === undefined) return;
    const told = (await published?.(value)) ?? value;
    const last = told === value ? written : await this.#write(written, told);
    if (last !== undefined) this.#take(told, last);
  }

  /** @returns undefined: the Secret was deleted since it was read */
  async #write(secret: Secret | undefined, value: T): Promise<Secret | undefined> {
    const { client, namespace, name, what, logger } = this.#options;
    const data = this.#options.dataOf(value);
    const metadata = { namespace, name };
    const written =
      secret === undefined
        ? await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data })
        : // With the resource version that was read: of two replicas that write at a time one is told to read again.
          await client.replace(SECRETS, { ...secret, data }).catch(unlessGone);
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

function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
