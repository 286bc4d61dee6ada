import {
  ApiError,
  apiVersionOf,
  CachedWatch,
  sleep,
  type Kind,
  type OwnerReference,
} from '@groundcrew/controller-runtime';
import { covers, stamped } from '../agent-workload/index.ts';
import { bundleOf } from '../authority/index.ts';
import type { Keyring } from './keyring.ts';
import type { AdmissionOptions } from './options.ts';
import {
  MUTATING,
  VALIDATING,
  mutatingWebhooks,
  validatingWebhooks,
  type Webhook,
  type WebhookConfiguration,
  type WebhookSettings,
} from './webhooks.ts';

export interface ConfigurationsOptions extends Pick<
  AdmissionOptions,
  'client' | 'clock' | 'logger' | 'namespace' | 'namespaces' | 'assignMACs' | 'owner'
> {
  clientConfig: WebhookSettings['clientConfig'];
  /** Calls the listener with the keyring, at once if one exists, and after each change. Returns a function that ends the subscription. */
  onKeyring: (listener: (keyring: Keyring) => void) => () => void;
}

/** Annotation with the digest of the last applied configuration. */
const APPLIED_ANNOTATION = 'network.harvesterhci.io/applied';
/** Milliseconds between two periodic checks, and after a failure. */
const LOOK_AGAIN = 600_000;
const RETRY = 2_000;
/** Minimum number of milliseconds between two writes, in case another client keeps changing the configurations. */
const PAUSE = 500;

/**
 * Name of the webhook configurations of an installation. API servers call mutating webhooks in the order of their
 * names: this one comes after KubeMacPool and KubeVirt, so MAC addresses that they set are kept.
 */
export function configurationName(namespace: string): string {
  return `webhook-groundcrew-${namespace}`;
}

/** Keeps the webhook configurations up to date. Runs in the leader only. */
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
        logger.error({ err: error }, 'cannot write the webhook configurations; retrying');
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
    if (there !== undefined && covers(there, draft)) return;
    await client.apply(kind, draft, { force: true });
    logger.info({ configuration: metadata.name, kind: kind.kind }, 'wrote a webhook configuration');
  }

  /** The manager's username at the API server; undefined if SelfSubjectReview gives none. */
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
      // The API server has checked the type.
      return (review as { status?: { userInfo?: { username?: string } } }).status?.userInfo?.username;
    } catch (error) {
      if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined;
      throw error;
    }
  }

  /** The ClusterRole of the chart as owner: its deletion also deletes the webhook configurations. */
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
