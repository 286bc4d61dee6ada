import { randomUUID } from 'node:crypto';
import { userInfo } from '../tokens.ts';
import { type JsonObject, arrayOr, isObject, textOr, type Json } from '../json.ts';
import type { AdmissionRequest, GroupVersionKind } from '../rest/index.ts';
import type { GroupVersionResource } from './webhook.ts';
import { type Webhook, CallFailure } from './webhook.ts';

/** An object, or none: there is no new one for a DELETE, no old one for a CREATE. */
export type Body = JsonObject | null;

/** A webhook to be asked about a request, in the version that its rules name. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/** What a review asks, without the objects: also what match conditions know as `request`. */
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

/** An AdmissionReview that asks; `uid` is to come back with the answer. */
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

/** The object in the version that a webhook's rules name. Versions differ in nothing but their name here. */
export function inVersion(object: Body, { kind }: Invocation): Body {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  return object === null || object['apiVersion'] === apiVersion ? object : { ...object, apiVersion };
}

function resourceName({ group, version, plural }: GroupVersionResource): JsonObject {
  return { group, version, resource: plural };
}

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
