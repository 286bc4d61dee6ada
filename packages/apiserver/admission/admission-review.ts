import { randomUUID } from 'node:crypto';
import { userInfo } from '../tokens.ts';
import type { JsonObject } from '../json.ts';
import type { AdmissionRequest, GroupVersionKind } from '../rest/index.ts';
import type { GroupVersionResource } from './rule.ts';
import type { Webhook } from './webhook.ts';

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
  const version = invocation.webhook.reviewVersion ?? 'v1';
  const asked = {
    ...requestOf(request, invocation, uid),
    object: inVersion(object, invocation),
    oldObject: inVersion(oldObject, invocation),
  };
  return { uid, review: { kind: 'AdmissionReview', apiVersion: `admission.k8s.io/${version}`, request: asked } };
}

/** The object in the version that a webhook's rules name. Versions differ in nothing but their name here. */
export function inVersion(object: Body, { kind }: Invocation): Body {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  return object === null || object['apiVersion'] === apiVersion ? object : { ...object, apiVersion };
}

function resourceName({ group, version, plural }: GroupVersionResource): JsonObject {
  return { group, version, resource: plural };
}
