import { CachedWatch, CONFIG_MAPS, type Clock, type KubeClient, type Logger } from '@groundcrew/controller-runtime';
import { advanced, announced, bundleOf, dueStep, type Rotation, type Terms } from './ca-rotation.ts';
import { canIssue, fits, type Issuer } from './certificates.ts';
import { KeptSecret } from './kept-secret.ts';
import { authorityDataOf, rotationIn } from './ca-rotation-secret.ts';

/** Name, in the manager's namespace, of the Secret with the installation's authority and of the ConfigMap with its public certificates. */
const AUTHORITY_NAME = 'groundcrew-ca';

interface AuthorityOptions {
  client: KubeClient;
  /** The manager's namespace. */
  namespace: string;
  /** Domains of the DNS names that new authorities may sign. Default: all names. */
  permittedDomains?: readonly string[];
  clock: Clock;
  logger: Logger;
}

const DAY = 86_400_000;

/** Validity of a BMC certificate in milliseconds. */
export const CERTIFICATE_LIFETIME = 365 * DAY;

const LIFETIME = 20 * 365 * DAY;

/** Clients trust the authority by a file that they keep, so it lives long, and they have a year to add the next one. */
export const AUTHORITY_TERMS: Terms = {
  name: 'groundcrew-ca',
  lifetime: LIFETIME,
  succeededBefore: LIFETIME / 3,
  overlap: 365 * DAY,
  signsFor: CERTIFICATE_LIFETIME,
};

/**
 * The certificate authority of an installation. It signs the certificates of BMCs and creates its successor in the last
 * third of its life. Deleting the Secret replaces it at once.
 */
export class Authority {
  readonly #options: AuthorityOptions;
  readonly #kept: KeptSecret<Rotation>;

  constructor(options: AuthorityOptions) {
    this.#options = options;
    const { client, namespace, clock, logger } = options;
    const fieldSelector = `metadata.name=${AUTHORITY_NAME}`;
    this.#kept = new KeptSecret<Rotation>({
      ...options,
      name: AUTHORITY_NAME,
      what: 'certificate authority of the installation',
      read: rotationIn,
      dataOf: authorityDataOf,
      maintained: (known, now) =>
        maintained(known, now, { ...AUTHORITY_TERMS, permittedDomains: options.permittedDomains }),
      published: (rotation) => this.#publish(rotation),
      publication: new CachedWatch({ client, namespace, clock, logger, kind: CONFIG_MAPS, fieldSelector }),
      comesBack: false,
    });
  }

  /** Undefined until it has been read or created. */
  get current(): Issuer | undefined {
    const { current } = this.#kept;
    return current === undefined ? undefined : { ...current.authority, bundle: bundleOf(current) };
  }

  /**
   * Calls the listener once an authority exists, and when it or the trusted certificates change. Returns a function
   * that ends the subscription.
   */
  subscribe(listener: () => void): () => void {
    return this.#kept.subscribe(listener);
  }

  /** Runs until `signal` is aborted; logs and retries failures. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#kept.run(signal);
  }

  /** The overlap of a nextCa begins when clients can read it. */
  async #publish(rotation: Rotation): Promise<Rotation> {
    const { client, namespace, clock } = this.#options;
    await publishBundle(bundleOf(rotation), { client, namespace, name: AUTHORITY_NAME });
    const now = clock.now();
    return dueStep(rotation, now, AUTHORITY_TERMS) === 'announce' ? announced(rotation, now) : rotation;
  }
}

async function maintained(known: Rotation | undefined, now: number, terms: Terms): Promise<Rotation> {
  if (known !== undefined && fits(known.authority) && !canIssue(known.authority)) {
    throw new Error(
      `the key in Secret ${AUTHORITY_NAME} is not ECDSA P-256: put one there that is, or delete the Secret`,
    );
  }
  return await advanced(known, now, terms);
}

/**
 * Writes a bundle of certificates, PEM, to key `ca.crt` of a ConfigMap, for clients that may not read Secrets.
 *
 * @throws ApiError, TransportError
 */
async function publishBundle(
  bundle: string,
  { client, namespace, name }: { client: KubeClient; namespace: string; name: string },
): Promise<void> {
  const metadata = { namespace, name };
  const found = await client.find(CONFIG_MAPS, metadata);
  if (found?.data?.['ca.crt'] === bundle) return;
  const data = { 'ca.crt': bundle };
  if (found === undefined) await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  else await client.patch(CONFIG_MAPS, metadata, 'merge', { data });
}
