import {
  ApiError,
  apiVersionOf,
  CachedWatch,
  sleep,
  type Kind,
  type OwnerReference,
} from '@groundcrew/controller-runtime';
import { isApplied, stamped } from '../../children/index.ts';
import { bundleOf } from '../../authority/index.ts';
import type { Keyring } from '../certificates/index.ts';
import type { AdmissionOptions } from '../options.ts';
import { MUTATING, VALIDATING, type Webhook, type WebhookConfiguration } from './kinds.ts';
import { mutatingWebhooks, validatingWebhooks, type WebhookSettings } from './webhooks.ts';

export interface ConfigurationsOptions extends Pick<
  AdmissionOptions,
  'client' | 'clock' | 'logger' | 'namespace' | 'namespaces' | 'assignMACs' | 'owner'
> {
  clientConfig: WebhookSettings['clientConfig'];
  /** Calls back with the keyring, at once where there is one, and whenever it changes. Returns what ends it. */
  onKeyring: (listener: (keyring: Keyring) => void) => () => void;
}

/** Holds the digest of what was last applied. */
const APPLIED_ANNOTATION = 'network.harvesterhci.io/applied';
/** Milliseconds between two looks that nothing asked for, and after a failure. */
const LOOK_AGAIN = 600_000;
const RETRY = 2_000;
/** Milliseconds between two writes at least: somebody else may be as sure of what the configurations should be. */
const PAUSE = 500;

/**
 * Name of the webhook configurations of an installation. API servers ask mutating webhooks in the order of such names:
 * after KubeMacPool's and KubeVirt's, whose MAC addresses are respected.
 */
export function configurationName(namespace: string): string {
  return `webhook-groundcrew-${namespace}`;
}

/** Keeps the webhook configurations, so that API servers ask, and trust who answers. For the one manager that leads. */
export class Configurations {
  readonly name = 'webhook-configurations';
  readonly #options: ConfigurationsOptions;
  readonly #mutating: CachedWatch<WebhookConfiguration>;
  readonly #validating: CachedWatch<WebhookConfiguration>;

  constructor(options: ConfigurationsOptions) {
    this.#options = options;
    this.#mutating = this.#watch(MUTATING);
    this.#validating = this.#watch(VALIDATING);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, onKeyring } = this.#options;
    let wake = new AbortController();
    let keyring: Keyring | undefined;
    const watches = [this.#mutating, this.#validating];
    const reading = watches.map((watch) => watch.run(signal));
    const ends = watches.map((watch) =>
      watch.subscribe(() => {
        wake.abort();
      }),
    );
    ends.push(
      onKeyring((current) => {
        keyring = current;
        wake.abort();
      }),
    );
    while (!signal.aborted) {
      wake = new AbortController();
      let pause = LOOK_AGAIN;
      try {
        if (keyring !== undefined) await this.#apply(keyring);
      } catch (error) {
        pause = RETRY;
        logger.error({ err: error }, 'the webhook configurations could not be written; trying again');
      }
      await sleep(clock, PAUSE, signal);
      await sleep(clock, pause - PAUSE, AbortSignal.any([signal, wake.signal]));
    }
    for (const end of ends) end();
    await Promise.all(reading);
  }

  #watch(kind: Kind<WebhookConfiguration>): CachedWatch<WebhookConfiguration> {
    const { client, clock, logger, namespace } = this.#options;
    const fieldSelector = `metadata.name=${configurationName(namespace)}`;
    return new CachedWatch({ client, kind, fieldSelector, clock, logger });
  }

  async #apply(keyring: Keyring): Promise<void> {
    const { clientConfig, namespaces, assignMACs } = this.#options;
    const username = await this.#username();
    const settings = { clientConfig, caBundle: bundleOf(keyring), namespaces, username, assignMACs };
    const owners = await this.#owners();
    await this.#write(this.#mutating, mutatingWebhooks(settings), owners);
    await this.#write(this.#validating, validatingWebhooks(settings), owners);
  }

  async #write(known: CachedWatch<WebhookConfiguration>, webhooks: Webhook[], owners: OwnerReference[]): Promise<void> {
    const { client, namespace, logger } = this.#options;
    const { kind } = known;
    const metadata = {
      name: configurationName(namespace),
      labels: { 'app.kubernetes.io/name': 'groundcrew', 'app.kubernetes.io/managed-by': 'groundcrew' },
      ownerReferences: owners,
    };
    const draft = stamped<WebhookConfiguration>(
      { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, webhooks },
      APPLIED_ANNOTATION,
    );
    const there = known.get({ name: metadata.name });
    if (there !== undefined && isApplied(there, draft)) return;
    await client.apply(kind, draft, { force: true });
    logger.info({ configuration: metadata.name, kind: kind.kind }, 'wrote a webhook configuration');
  }

  /** Who the manager is to the API server; undefined where that does not tell. */
  async #username(): Promise<string | undefined> {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
    try {
      const review = await this.#options.client.request({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body,
      });
      // The API server says what it is.
      return (review as { status?: { userInfo?: { username?: string } } }).status?.userInfo?.username;
    } catch (error) {
      if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined;
      throw error;
    }
  }

  /** Uninstalled with what the chart made, so that no API server goes on asking a server that is gone. */
  async #owners(): Promise<OwnerReference[]> {
    const { client, owner, logger } = this.#options;
    if (owner === undefined) return [];
    const kind = {
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      kind: 'ClusterRole',
      plural: 'clusterroles',
      namespaced: false,
    };
    try {
      const { metadata } = await client.get(kind, { name: owner });
      return [{ apiVersion: apiVersionOf(kind), kind: kind.kind, name: owner, uid: metadata.uid ?? '' }];
    } catch (error) {
      if (!(error instanceof ApiError) || ![403, 404].includes(error.status)) throw error;
      logger.warn({ owner, reason: error.serverMessage }, 'the webhook configurations have no owner to go with');
      return [];
    }
  }
}
