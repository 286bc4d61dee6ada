import type { KubeObject } from '@groundcrew/controller-runtime';

/** AdmissionReview v1, as far as it is asked here. */
export interface AdmissionRequest {
  uid: string;
  /** `ippools` */
  resource: string;
  subResource: string | undefined;
  operation: Operation;
  namespace: string;
  name: string;
  /** None for a DELETE. Not checked against any schema where the review is a mutating one. */
  object: KubeObject | undefined;
  /** None for a CREATE. */
  oldObject: KubeObject | undefined;
}

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** What is said to a request. */
export interface AdmissionAnswer {
  /** Present: the request is refused. metav1.Status, as the client is to see it. */
  refusal?: { code: number; reason: string; message: string; details?: object };
  warnings: readonly string[];
  /** JSON Patch of the object. */
  patch?: readonly object[];
}

const OPERATIONS: ReadonlySet<string> = new Set<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** Reads a review that asks; undefined for anything else. */
export function requestIn(review: unknown): AdmissionRequest | undefined {
  if (!isRecord(review) || review['kind'] !== 'AdmissionReview') return undefined;
  const { apiVersion, request } = review;
  if (apiVersion !== 'admission.k8s.io/v1' || !isRecord(request)) return undefined;
  const { uid, resource, subResource, operation, namespace = '', name = '' } = request;
  if (typeof uid !== 'string' || uid === '' || typeof operation !== 'string' || !OPERATIONS.has(operation))
    return undefined;
  if (!isRecord(resource) || typeof resource['resource'] !== 'string') return undefined;
  const object = objectIn(request['object']);
  const oldObject = objectIn(request['oldObject']);
  if (object === false || oldObject === false) return undefined;
  return {
    uid,
    resource: resource['resource'],
    subResource: typeof subResource === 'string' && subResource !== '' ? subResource : undefined,
    // It is one of the four.
    operation: operation as Operation,
    namespace: text(namespace),
    name: text(name),
    object,
    oldObject,
  };
}

/** The review that answers. */
export function answeringReview(uid: string, { refusal, warnings, patch = [] }: AdmissionAnswer): object {
  const patched = refusal === undefined && patch.length > 0;
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: refusal === undefined,
      ...(refusal === undefined ? {} : { status: { status: 'Failure', ...refusal } }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(patched ? { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') } : {}),
    },
  };
}

/** An object with metadata; undefined for none, false for what is no object at all. */
function objectIn(value: unknown): KubeObject | undefined | false {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  // The rest is as the API server has it, or looked at with care.
  return value as unknown as KubeObject;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
