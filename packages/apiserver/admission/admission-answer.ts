import { arrayOr, isObject, textOr, type Json, type JsonObject } from '../json.ts';
import { CallFailure } from './call-failure.ts';
import type { Webhook } from './webhook.ts';

/** What a webhook says of a request. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** As text; '' for none. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
  /** A metav1.Status. */
  readonly result: JsonObject | undefined;
}

export interface Asked {
  readonly uid: string;
  readonly webhook: Webhook;
  readonly mutating: boolean;
}

/** The answer in the AdmissionReview that came back. Throws a CallFailure that says what is wrong with it. */
export function readAnswer(review: Json, asked: Asked): AdmissionAnswer {
  const { webhook, mutating } = asked;
  const response = isObject(review) ? review['response'] : undefined;
  const isV1 = webhook.reviewVersion === 'v1';
  const problem =
    !isObject(review) || !isObject(response)
      ? 'webhook response was absent'
      : isV1
        ? (identityProblem(review, response, asked.uid) ?? patchProblem(response, mutating))
        : undefined;
  if (problem !== undefined || !isObject(response))
    throw new CallFailure(webhook, `received invalid webhook response: ${problem ?? ''}`);
  const patch = mutating ? textOr(response['patch']) : '';
  return {
    allowed: response['allowed'] === true,
    patch: Buffer.from(patch, 'base64').toString('utf8'),
    patchType: isV1 ? textOr(response['patchType']) : 'JSONPatch',
    warnings: arrayOr(response['warnings'])
      .map(textOr)
      .filter((text) => text !== ''),
    result: isObject(response['status']) ? response['status'] : undefined,
  };
}

function identityProblem(review: JsonObject, response: JsonObject, uid: string): string | undefined {
  const given = textOr(response['uid']);
  if (given !== uid) return `expected response.uid="${uid}", got ${JSON.stringify(given)}`;
  const apiVersion = textOr(review['apiVersion']);
  const kind = textOr(review['kind']);
  if (apiVersion === 'admission.k8s.io/v1' && kind === 'AdmissionReview') return undefined;
  const found = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  return `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${found}`;
}

function patchProblem({ patch, patchType }: JsonObject, mutating: boolean): string | undefined {
  const hasPatch = textOr(patch) !== '';
  const hasType = typeof patchType === 'string';
  if (!mutating) {
    if (hasPatch) return 'validating webhook may not return response.patch';
    return hasType ? 'validating webhook may not return response.patchType' : undefined;
  }
  if (hasPatch && !hasType) return 'webhook returned response.patch but not response.patchType';
  if (!hasPatch && hasType) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}
