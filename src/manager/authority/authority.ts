import {
  CachedWatch,
  CONFIG_MAPS,
  isAlreadyExists,
  isConflict,
  SECRETS,
  sleep,
  type Clock,
  type KubeClient,
  type Logger,
  type Secret,
} from '../../kube/index.ts';
import { canIssue, fits, timeLeft } from './inspect.ts';
import type { KeyPair } from './key-pair.ts';
import { makeAuthority } from './make.ts';

/**
 * Name, in the manager's namespace, of the Secret with the installation's authority, and of the ConfigMap in which everybody may read
 * its certificate.
 */
const AUTHORITY_NAME = 'groundcrew-ca';

export interface AuthorityOptions {
  client: KubeClient;
  /** The manager's own. */
  namespace: string;
  clock: Clock;
  logger: Logger;
}

const DAY = 86_400_000;
/** Milliseconds. Whoever trusts it does so by a file of their own, so that it is to stay. */
const LIFETIME = 20 * 365 * DAY;
/** Milliseconds between two looks, and after a failure. */
const LOOK_AGAIN = 3_600_000;
const RETRY = 2_000;

/**
 * The certificate authority of an installation, which signs what its BMCs show. It is made once: creating its Secret decides between
 * managers that do so at a time. Whoever wants another deletes the Secret.
 */
export class Authority {
  readonly #options: AuthorityOptions;
  readonly #watch: CachedWatch<Secret>;
  readonly #listeners = new Set<() => void>();
  #current: KeyPair | undefined;

  constructor(options: AuthorityOptions) {
    const { client, namespace, clock, logger } = options;
    this.#options = options;
    const fieldSelector = `metadata.name=${AUTHORITY_NAME}`;
    this.#watch = new CachedWatch({ client, kind: SECRETS, namespace, fieldSelector, clock, logger });
  }

  /** Undefined until it has been read or made. */
  get current(): KeyPair | undefined {
    return this.#current;
  }

  /** Calls the listener whenever there is another. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs until `signal` is aborted; failures are logged and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    let wake = new AbortController();
    const end = this.#watch.subscribe(() => {
      wake.abort();
    });
    const reading = this.#watch.run(signal);
    while (!signal.aborted) {
      let pause = LOOK_AGAIN;
      wake = new AbortController();
      try {
        await this.#keep();
      } catch (error) {
        pause = RETRY;
        // Another manager was first: its Secret is read in a moment.
        if (!isAlreadyExists(error) && !isConflict(error))
          logger.error({ err: error }, 'the certificate authority could not be kept; trying again');
      }
      await sleep(clock, pause, AbortSignal.any([signal, wake.signal])).catch(() => undefined);
    }
    end();
    await reading;
  }

  async #keep(): Promise<void> {
    const { client, namespace, clock, logger } = this.#options;
    const metadata = { namespace, name: AUTHORITY_NAME };
    const secret = await client.find(SECRETS, metadata);
    let pair = secret === undefined ? undefined : pairIn(secret);
    if (pair === undefined || !fits(pair) || timeLeft(pair.cert, clock.now()) <= 0) {
      pair = await makeAuthority({ name: 'groundcrew-ca', lifetime: LIFETIME, now: clock.now() });
      const data = { 'tls.crt': base64(pair.cert), 'tls.key': base64(pair.key), 'ca.crt': base64(pair.cert) };
      const draft = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data };
      if (secret === undefined) await client.create(SECRETS, draft);
      else await client.replace(SECRETS, { ...secret, data });
      logger.info({ secret: AUTHORITY_NAME }, 'made the certificate authority of the installation');
    }
    if (!canIssue(pair))
      throw new Error(
        `the key in Secret ${AUTHORITY_NAME} is not ECDSA P-256: put one there that is, or delete the Secret`,
      );
    await this.#publish(pair.cert);
    if (this.#current?.cert === pair.cert && this.#current.key === pair.key) return;
    this.#current = pair;
    for (const listener of this.#listeners) listener();
  }

  /** For those who may not read Secrets. */
  async #publish(cert: string): Promise<void> {
    const { client, namespace } = this.#options;
    const metadata = { namespace, name: AUTHORITY_NAME };
    const found = await client.find(CONFIG_MAPS, metadata);
    if (found?.data?.['ca.crt'] === cert) return;
    const data = { 'ca.crt': cert };
    if (found === undefined) await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    else await client.patch(CONFIG_MAPS, metadata, 'merge', { data });
  }
}

function pairIn({ data = {} }: Secret): KeyPair | undefined {
  const [cert, key] = [data['tls.crt'], data['tls.key']].map((value) => Buffer.from(value ?? '', 'base64').toString());
  return cert === undefined || key === undefined || cert === '' || key === '' ? undefined : { cert, key };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
