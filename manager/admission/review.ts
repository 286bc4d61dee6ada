import { isRecord, type KubeObject } from '@groundcrew/controller-runtime';

/** The fields of AdmissionReview v1 that are used here. */
export interface AdmissionRequest {
  uid: string;
  /** `ippools` */
  resource: string;
  subResource: string | undefined;
  operation: Operation;
  namespace: string;
  name: string;
  /** Undefined for DELETE. Not validated against a schema in a mutating review. */
  object: KubeObject | undefined;
  /** Undefined for CREATE. */
  oldObject: KubeObject | undefined;
}

type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The answer to a request. */
export interface AdmissionAnswer {
  /** If present, the request is rejected: the metav1.Status for the client. */
  refusal?: { code: number; reason: string; message: string; details?: object };
  warnings: readonly string[];
  /** JSON Patch for the object. */
  patch?: readonly object[];
}

const OPERATIONS: ReadonlySet<string> = new Set<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** Parses a review with a request; undefined for anything else. */
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
    // Checked above.
    operation: operation as Operation,
    namespace: text(namespace),
    name: text(name),
    object,
    oldObject,
  };
}

/** The review with the response. */
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

/** An object with metadata; undefined if absent, false if it is not an object. */
function objectIn(value: unknown): KubeObject | undefined | false {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  // The API server has checked the rest, or the rules read it defensively.
  return value as unknown as KubeObject;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
