import type { Logger } from '@groundcrew/controller-runtime';
import { at, equal, isObject, parseJson, textOr, type JsonObject } from '../json.ts';
import { applyJsonPatch, jsonPatchOperations } from '../patch/json-patch.ts';
import type { AdmissionRequest, Review } from '../rest/index.ts';
import { internalError, badRequest, StatusError } from '../status.ts';
import type { Store } from '../store/index.ts';
import {
  readAnswer,
  type AdmissionAnswer,
  askingReview,
  inVersion,
  type Body,
  type Invocation,
} from './admission-review.ts';
import { CallFailure, type Webhook } from './webhook.ts';
import { isSelected } from './selection.ts';
import type { WebhookClient } from './webhook-client.ts';

export interface WebhookReviewOptions {
  readonly request: AdmissionRequest;
  /** The webhooks whose rules match the request, in the order of their calls. */
  readonly mutating: readonly Invocation[];
  readonly validating: readonly Invocation[];
  readonly store: Store;
  readonly client: WebhookClient;
  readonly logger: Logger;
}

/** Calls the webhooks for one request, like kube-apiserver's dispatchers. */
export class WebhookReview implements Review {
  readonly #options: WebhookReviewOptions;
  #request: AdmissionRequest;

  constructor(options: WebhookReviewOptions) {
    this.#options = options;
    this.#request = options.request;
  }

  async mutate(object: Body, old: Body): Promise<Body> {
    const asked = new Set<Webhook>();
    const again = new Set<Webhook>();
    let current = object;
    const round = async (isSecond: boolean): Promise<void> => {
      for (const invocation of this.#options.mutating) {
        const { webhook } = invocation;
        if (!this.#concerns(invocation, current, old) || (isSecond && !again.has(webhook))) continue;
        const next = await this.#mutateBy(invocation, current, old);
        if (!equal(next, current)) {
          for (const earlier of asked) again.add(earlier);
          asked.clear();
        }
        current = next;
        if (webhook.isReinvocable) asked.add(webhook);
      }
    };
    await round(false);
    // Webhooks with reinvocationPolicy IfNeeded are called again after later changes.
    if (again.size > 0) await round(true);
    return current;
  }

  async validate(object: Body, old: Body): Promise<void> {
    const { operation, name } = this.#request;
    // The name has been generated since the request arrived.
    if (operation === 'CREATE' && name === '')
      this.#request = { ...this.#request, name: textOr(at(object, 'metadata', 'name')) };
    const concerned = this.#options.validating.filter((invocation) => this.#concerns(invocation, object, old));
    const refusals: unknown[] = [];
    await Promise.all(
      concerned.map(async (invocation) => {
        try {
          const answer = await this.#ask(invocation, object, old, false);
          if (answer?.allowed === false) throw denial(invocation.webhook, answer.result);
        } catch (error) {
          refusals.push(error);
        }
      }),
    );
    if (refusals.length > 0) throw refusals[0];
  }

  async #mutateBy(invocation: Invocation, object: Body, old: Body): Promise<Body> {
    const { webhook } = invocation;
    const answer = await this.#ask(invocation, object, old, true);
    if (answer === undefined) return object;
    if (!answer.allowed) throw denial(webhook, answer.result);
    const operations = answer.patch === '' ? [] : this.#operations(webhook, answer);
    if (operations.length === 0) return object;
    const seen = inVersion(object, invocation);
    if (seen === null) {
      throw internalError(
        `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      );
    }
    try {
      return this.#patched(seen, operations, object);
    } catch (error) {
      throw internalError(error instanceof Error ? error.message : String(error));
    }
  }

  #patched(seen: JsonObject, operations: readonly JsonObject[], object: Body): JsonObject {
    const next = applyJsonPatch(seen, operations);
    if (!isObject(next)) throw new Error('the patch leaves no object');
    const result: JsonObject = { ...next, apiVersion: object?.['apiVersion'] };
    this.#request.decode(result);
    return result;
  }

  /** The operations of a patch; none if the patch is invalid and failurePolicy is Ignore. */
  #operations(webhook: Webhook, { patch, patchType }: AdmissionAnswer): JsonObject[] {
    try {
      if (patchType !== 'JSONPatch')
        throw new CallFailure(webhook, `unsupported patch type ${JSON.stringify(patchType)}`);
      return parseOperations(webhook, patch);
    } catch (error) {
      this.#tolerate(webhook, error);
      return [];
    }
  }

  /**
   * Calls a webhook.
   *
   * @returns the answer; undefined if the call failed and failurePolicy is Ignore
   * @throws StatusError if the call failed and failurePolicy is Fail
   */
  async #ask(invocation: Invocation, object: Body, old: Body, mutating: boolean): Promise<AdmissionAnswer | undefined> {
    const { webhook } = invocation;
    const request = this.#request;
    if (request.dryRun && !webhook.allowsDryRun) throw dryRunRefusal(webhook);
    try {
      if (!webhook.speaksV1) throw new CallFailure(webhook, 'admissionReviewVersions does not contain v1');
      const { uid, review } = askingReview(request, invocation, object, old);
      const answer = readAnswer(await this.#options.client.call(webhook, review), { uid, webhook, mutating });
      request.warnings.push(...answer.warnings);
      return answer;
    } catch (error) {
      this.#tolerate(webhook, error);
      return undefined;
    }
  }

  /** @throws the error for the client, unless failurePolicy is Ignore */
  #tolerate(webhook: Webhook, error: unknown): void {
    if (!(error instanceof CallFailure)) throw error;
    if (!webhook.ignoresFailure) throw internalError(error.message);
    this.#options.logger.warn({ err: error }, 'failed calling webhook, failing open');
  }

  #concerns(invocation: Invocation, object: Body, old: Body): boolean {
    return isSelected(invocation, { request: this.#request, object, old, store: this.#options.store });
  }
}

function parseOperations(webhook: Webhook, patch: string): JsonObject[] {
  try {
    return jsonPatchOperations(parseJson(patch));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CallFailure(webhook, `received undecodable patch in webhook response: ${reason}`);
  }
}

/**
 * The error for a request that a webhook denies.
 *
 * @param result the `status` of the webhook's answer
 */
function denial({ name }: Webhook, result: JsonObject = {}): StatusError {
  const code = typeof result['code'] === 'number' && result['code'] >= 400 ? result['code'] : 400;
  const reason = textOr(result['reason']);
  const said = textOr(result['message']) || reason;
  const message = `admission webhook ${JSON.stringify(name)} denied the request${said === '' ? ' without explanation' : `: ${said}`}`;
  return new StatusError(code, reason, message, isObject(result['details']) ? result['details'] : undefined);
}

/** The error for a dry run that matches a webhook with side effects. */
function dryRunRefusal({ name }: Webhook): StatusError {
  return badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}
