import { randomUUID } from 'node:crypto';
import { userInfo } from '../tokens.ts';
import { type JsonObject, arrayOr, isObject, textOr, type Json } from '../json.ts';
import type { AdmissionRequest, GroupVersionKind } from '../rest/index.ts';
import type { GroupVersionResource } from './webhook.ts';
import { type Webhook, CallFailure } from './webhook.ts';

/** An object of the request. The new object is null for DELETE, the old object is null for CREATE. */
export type Body = JsonObject | null;

/** A call of a webhook for a request, with the resource and kind in the version that the webhook's rules match. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/** The AdmissionRequest without its objects. Match conditions see it as the variable `request`. */
export function requestOf(request: AdmissionRequest, { resource, kind }: Invocation, uid: string): JsonObject {
  const { subresource, name, namespace } = request;
  return {
    uid,
    kind: { ...kind },
    resource: resourceName(resource),
    ...(subresource === undefined ? {} : { subResource: subresource }),
    requestKind: { ...request.kind },
    requestResource: resourceName(request.resource),
    ...(subresource === undefined ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: request.operation,
    userInfo: userInfo(request.user),
    dryRun: request.dryRun,
    options: request.options,
  };
}

/** The AdmissionReview to send. The webhook must return its `uid`. */
export function askingReview(
  request: AdmissionRequest,
  invocation: Invocation,
  object: Body,
  oldObject: Body,
): { uid: string; review: JsonObject } {
  const uid = randomUUID();
  const asked = {
    ...requestOf(request, invocation, uid),
    object: inVersion(object, invocation),
    oldObject: inVersion(oldObject, invocation),
  };
  return { uid, review: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: asked } };
}

/** Sets the apiVersion to the version that the webhook's rules match. Versions differ only in their name here. */
export function inVersion(object: Body, { kind }: Invocation): Body {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  return object === null || object['apiVersion'] === apiVersion ? object : { ...object, apiVersion };
}

function resourceName({ group, version, plural }: GroupVersionResource): JsonObject {
  return { group, version, resource: plural };
}

/** A webhook's answer to a request. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** The decoded patch; '' if the answer has none. */
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

/**
 * Reads the answer from a returned AdmissionReview.
 *
 * @throws CallFailure if the review has no response or the wrong uid
 */
export function readAnswer(review: Json, asked: Asked): AdmissionAnswer {
  const { webhook, mutating } = asked;
  const response = isObject(review) ? review['response'] : undefined;
  const uid = textOr(isObject(response) ? response['uid'] : undefined);
  const problem = !isObject(response)
    ? 'webhook response was absent'
    : `expected response.uid="${asked.uid}", got ${JSON.stringify(uid)}`;
  if (!isObject(response) || uid !== asked.uid)
    throw new CallFailure(webhook, `received invalid webhook response: ${problem}`);
  const patch = mutating ? textOr(response['patch']) : '';
  return {
    allowed: response['allowed'] === true,
    patch: Buffer.from(patch, 'base64').toString('utf8'),
    patchType: textOr(response['patchType']),
    warnings: arrayOr(response['warnings'])
      .map(textOr)
      .filter((text) => text !== ''),
    result: isObject(response['status']) ? response['status'] : undefined,
  };
}
