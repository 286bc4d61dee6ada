import type { Logger } from '@groundcrew/controller-runtime';
import type { Registry, Resource } from '../resources/index.ts';
import type { Admission, AdmissionRequest, GroupVersionKind, Review } from '../rest/index.ts';
import type { Store } from '../store/index.ts';
import type { Invocation } from './admission-review.ts';
import { compileWebhooks, type Webhook, matchesRule } from './webhook.ts';
import { WebhookClient } from './webhook-client.ts';
import { WebhookReview } from './webhook-review.ts';

const GROUP = 'admissionregistration.k8s.io';
const MUTATING = `${GROUP}/mutatingwebhookconfigurations`;
const VALIDATING = `${GROUP}/validatingwebhookconfigurations`;

export interface WebhookAdmissionOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Admission by the webhooks of the stored configurations. They are compiled when a configuration changes. */
export class WebhookAdmission implements Admission {
  readonly #options: WebhookAdmissionOptions;
  readonly #client: WebhookClient;
  #mutating: readonly Webhook[] = [];
  #validating: readonly Webhook[] = [];

  constructor(options: WebhookAdmissionOptions) {
    this.#options = options;
    this.#client = new WebhookClient(options.store);
  }

  /**
   * Watches the configurations.
   *
   * @returns a function that stops the watch
   */
  start(): () => void {
    const { store } = this.#options;
    const compile = (): void => {
      this.#compile();
    };
    const stops = [MUTATING, VALIDATING].map((name) => store.collection(name).subscribe(compile));
    compile();
    return () => {
      for (const stop of stops) stop();
      this.#client.close();
    };
  }

  reviewOf(request: AdmissionRequest): Review | undefined {
    if (this.#mutating.length === 0 && this.#validating.length === 0) return undefined;
    // A faulty webhook must not block the repair of webhook configurations.
    if (request.resource.collection === MUTATING || request.resource.collection === VALIDATING) return undefined;
    const equivalents = this.#equivalents(request);
    const invocations = (webhooks: readonly Webhook[]): Invocation[] =>
      webhooks.flatMap((webhook) => invocationOf(webhook, request, equivalents) ?? []);
    const [mutating, validating] = [invocations(this.#mutating), invocations(this.#validating)];
    if (mutating.length === 0 && validating.length === 0) return undefined;
    const { store, logger } = this.#options;
    return new WebhookReview({ request, mutating, validating, store, client: this.#client, logger });
  }

  /** The same resource in other versions, computed on first use. */
  #equivalents({ resource }: AdmissionRequest): () => Resource[] {
    let found: Resource[] | undefined;
    return () =>
      (found ??= this.#options.registry
        .all()
        .filter(({ collection, version }) => collection === resource.collection && version !== resource.version));
  }

  #compile(): void {
    const { store } = this.#options;
    const webhooksOf = (collection: string): Webhook[] =>
      [...store.collection(collection).sorted()].flatMap(([, { object }]) => compileWebhooks(object));
    this.#mutating = webhooksOf(MUTATING);
    this.#validating = webhooksOf(VALIDATING);
    this.#client.keepOnly([...this.#mutating, ...this.#validating]);
  }
}

/** The call of a webhook for a request; undefined if no rule matches. */
function invocationOf(
  webhook: Webhook,
  request: AdmissionRequest,
  equivalents: () => Resource[],
): Invocation | undefined {
  const { resource, kind } = request;
  if (webhook.rules.some((rule) => matchesRule(rule, request, resource))) return { webhook, resource, kind };
  if (!webhook.isEquivalent) return undefined;
  for (const rule of webhook.rules) {
    const other = equivalents().find((equivalent) => matchesRule(rule, request, equivalent));
    // A subresource with its own kind, e.g. Scale, has the same kind in all versions.
    if (other !== undefined)
      return { webhook, resource: other, kind: kind.kind === resource.kind ? kindOf(other) : kind };
  }
  return undefined;
}

function kindOf({ group, version, kind }: Resource): GroupVersionKind {
  return { group, version, kind };
}
