import { isIP } from 'node:net';
import type { Check, RunnableController } from '@groundcrew/controller-runtime';
import { timeLeft } from '../authority/index.ts';
import { ClusterIdentity } from '../virtualmachine/index.ts';
import { keptCertificates, type Keyring } from './keyring.ts';
import { Configurations } from './configurations.ts';
import { mutate } from './handlers/mutate.ts';
import { validate } from './handlers/validate.ts';
import type { AdmissionOptions, Reach } from './options.ts';
import { AdmissionServer } from './admission-server.ts';

/** The admission server of the manager. */
export interface Admission {
  /**
   * Serves until `signal` is aborted. Every replica serves, whether it is the leader or not.
   *
   * @throws the error of the listener
   */
  serve(signal: AbortSignal): Promise<void>;
  /** Writes the webhook configurations; runs in the leader only. */
  readonly configurations: RunnableController;
  /** Readiness check; reports why the server cannot answer. */
  readonly check: Check;
}

/**
 * Creates the admission server: self-managed certificates, the rules, and the webhook configurations.
 *
 * @example
 * const admission = createAdmission({ client, caches, bmcs, address: { host: '::', port: 9443 },
 *   reachedBy: { service: 'groundcrew-webhook' }, namespace, namespaces: [], assignMACs: true, clock, logger });
 * runtime.addController(admission.configurations);
 * await Promise.all([admission.serve(signal), runtime.run(signal)]);
 */
export function createAdmission(options: AdmissionOptions): Admission {
  const { client, clock, namespace, reachedBy } = options;
  const logger = options.logger.child({ part: 'admission' });
  const identity = new ClusterIdentity(client);
  const certificates = keptCertificates({ client, namespace, names: namesOf(options), clock, logger });
  const server = new AdmissionServer({
    handle: async (phase, request) =>
      phase === 'mutate'
        ? await mutate(request, { ...options, logger, identity })
        : await validate(request, { ...options, logger }),
    logger,
  });
  const listening = new Listening();
  const description = {
    name: 'groundcrew_admission_certificate_expiration_timestamp_seconds',
    help: 'When the certificate of the admission server expires, in seconds since unix epoch',
    labelNames: [],
  };
  options.metrics?.gauge(description, () => {
    const { keyring } = listening;
    return keyring === undefined ? [] : [{ labels: {}, value: expiryOf(keyring, clock.now()) / 1000 }];
  });
  const configurations = new Configurations({
    ...options,
    logger,
    clientConfig: (path) => clientConfigOf(reachedBy, path, options, server.port),
    onKeyring: (listener) => listening.subscribe(listener),
  });
  return {
    configurations,
    check: () => (server.port === undefined ? 'the admission server has no certificate yet' : undefined),
    async serve(signal) {
      const failed = new AbortController();
      const stop = AbortSignal.any([signal, failed.signal]);
      let last = Promise.resolve();
      const end = certificates.subscribe((keyring) => {
        last = last
          .then(() => server.serve(options.address, keyring.server))
          .then(() => {
            listening.tell(keyring);
          })
          .catch((error: unknown) => {
            failed.abort(error);
          });
      });
      await certificates.run(stop);
      end();
      await last;
      await server.close();
      failed.signal.throwIfAborted();
    },
  };
}

/** The keyring in use by the server. Listeners get it only after the server listens with it. */
class Listening {
  readonly #listeners = new Set<(keyring: Keyring) => void>();
  #keyring: Keyring | undefined;

  get keyring(): Keyring | undefined {
    return this.#keyring;
  }

  tell(keyring: Keyring): void {
    this.#keyring = keyring;
    for (const listener of this.#listeners) listener(keyring);
  }

  subscribe(listener: (keyring: Keyring) => void): () => void {
    this.#listeners.add(listener);
    if (this.#keyring !== undefined) listener(this.#keyring);
    return () => this.#listeners.delete(listener);
  }
}

/** ms since 1970 */
function expiryOf({ server }: Keyring, now: number): number {
  return now + timeLeft(server.cert, now);
}

/** Names by which API servers reach the server. */
function namesOf({ reachedBy, namespace, address }: AdmissionOptions): string[] {
  // Only this name: a name that differs between replicas would make them replace the certificate in turn.
  if ('service' in reachedBy) return [`${reachedBy.service}.${namespace}.svc`];
  return [hostOf(reachedBy.url ?? urlOf(address.host, address.port))];
}

function clientConfigOf(
  reachedBy: Reach,
  path: string,
  { namespace, address }: AdmissionOptions,
  port: number | undefined,
): { url: string } | { service: object } {
  if ('service' in reachedBy) {
    const { service: name, port: at = 443 } = reachedBy;
    return { service: { namespace, name, path, port: at } };
  }
  return { url: `${(reachedBy.url ?? urlOf(address.host, port ?? address.port)).replace(/\/$/, '')}${path}` };
}

function urlOf(host: string, port: number): string {
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}
