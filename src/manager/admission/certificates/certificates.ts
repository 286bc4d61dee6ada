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
} from '../../../kube/index.ts';
import { keyringIn, secretDataOf } from './keyring-secret.ts';
import { maintained, type Keyring } from './keyring.ts';

/** Secret of the manager's namespace in which all its replicas find the same keyring. */
export const CERTIFICATES_SECRET = 'groundcrew-webhook-certificates';

export interface CertificatesOptions {
  client: KubeClient;
  /** The manager's own. */
  namespace: string;
  /** Of the server: DNS names and addresses. */
  names: readonly string[];
  clock: Clock;
  logger: Logger;
}

/** Milliseconds between two looks at what is due, and after a failure. */
const LOOK_AGAIN = 3_600_000;
const RETRY = 2_000;

/**
 * Keeps the keyring in its Secret, and tells of what is there. Several replicas do so at a time: creating the Secret
 * decides between them, and its resource version between their changes.
 */
export class Certificates {
  readonly #options: CertificatesOptions;
  readonly #watch: CachedWatch<Secret>;
  readonly #listeners = new Set<(keyring: Keyring) => void>();
  #current: { keyring: Keyring; uid: string | undefined; resourceVersion: string } | undefined;

  constructor(options: CertificatesOptions) {
    this.#options = options;
    const { client, namespace, clock, logger } = options;
    const fieldSelector = `metadata.name=${CERTIFICATES_SECRET}`;
    this.#watch = new CachedWatch({ client, kind: SECRETS, namespace, fieldSelector, clock, logger });
  }

  get current(): Keyring | undefined {
    return this.#current?.keyring;
  }

  /** Calls the listener with the keyring as soon as there is one, and whenever it changes. Returns what ends it. */
  subscribe(listener: (keyring: Keyring) => void): () => void {
    this.#listeners.add(listener);
    if (this.#current !== undefined) listener(this.#current.keyring);
    return () => this.#listeners.delete(listener);
  }

  /** Runs until `signal` is aborted; failures are logged and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const reading = this.#watch.run(signal);
    let wake = new AbortController();
    const end = this.#watch.subscribe(() => {
      wake.abort();
    });
    while (!signal.aborted) {
      let pause = LOOK_AGAIN;
      wake = new AbortController();
      try {
        await this.#keep();
      } catch (error) {
        pause = RETRY;
        // Another replica was first: its Secret is read in a moment.
        if (!isConflict(error) && !isAlreadyExists(error))
          logger.error({ err: error }, 'the certificates of the admission server could not be kept; trying again');
      }
      await sleep(clock, pause, AbortSignal.any([signal, wake.signal])).catch(() => undefined);
    }
    end();
    await reading;
  }

  async #keep(): Promise<void> {
    const { client, namespace, names, clock, logger } = this.#options;
    const ref = { namespace, name: CERTIFICATES_SECRET };
    const secret = await client.find(SECRETS, ref);
    // A Secret that somebody has deleted is made again with what it held: clients go on trusting it.
    const known = secret === undefined ? this.#current?.keyring : keyringIn(secret);
    const keyring = await maintained(known, names, clock.now());
    if (secret !== undefined && keyring === known) {
      this.#take(keyring, secret);
      return;
    }
    const data = secretDataOf(keyring);
    const draft = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: ref, data };
    const written =
      secret === undefined
        ? await client.create(SECRETS, draft)
        : // With the resource version that was read: of two replicas that renew at a time one is told to read again.
          await client.replace(SECRETS, { ...secret, data }).catch(gone);
    logger.info({ secret: CERTIFICATES_SECRET }, 'wrote the certificates of the admission server');
    if (written !== undefined) this.#take(keyring, written);
  }

  #take(keyring: Keyring, { metadata }: Secret): void {
    const { uid, resourceVersion = '' } = metadata;
    if (this.#current?.resourceVersion === resourceVersion && this.#current.uid === uid) return;
    this.#current = { keyring, uid, resourceVersion };
    for (const listener of this.#listeners) listener(keyring);
  }
}

/** Deleted since it was read: the watch tells of it. */
function gone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
