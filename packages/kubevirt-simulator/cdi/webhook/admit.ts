import type { KubeClient, Status } from '@groundcrew/controller-runtime';
import { CLAIMS, type DataVolume } from '../objects.ts';
import { validateClaim, validateDataVolume, validateUpdate, type Cause } from './validate.ts';

/** admission.k8s.io/v1 AdmissionReview, the part that is read. */
export interface AdmissionReview {
  apiVersion: string;
  kind: string;
  request: { uid: string; operation: string; object: unknown; oldObject?: unknown };
}

export interface AdmissionResponse {
  allowed: boolean;
  status?: Omit<Status, 'kind' | 'apiVersion'>;
}

/** Answers a review of a DataVolume, whose shape the API server has checked against the CRD. */
export async function admit({ request }: AdmissionReview, client: KubeClient): Promise<AdmissionResponse> {
  const dv = request.object as DataVolume;
  if (request.operation === 'UPDATE') {
    const cause = validateUpdate(dv, request.oldObject as DataVolume);
    if (cause !== undefined) return refusal(cause);
  }
  if (request.operation === 'CREATE') {
    const cause = await validateName(dv, client);
    if (cause !== undefined) return refusal(cause);
  }
  const cause = validateDataVolume(dv.spec);
  return cause === undefined ? { allowed: true } : refusal(cause);
}

async function validateName({ metadata }: DataVolume, client: KubeClient): Promise<Cause | undefined> {
  // One whose name is still to be generated has no claim.
  if ((metadata.name as string | undefined) === undefined) return undefined;
  const { name, namespace = '' } = metadata;
  const claim = await client.find(CLAIMS, { name, namespace });
  if (claim === undefined) return undefined;
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return validateClaim(namespace, name, owner?.kind);
}

/** CDI puts a space before each cause. */
function refusal(cause: Cause): AdmissionResponse {
  return { allowed: false, status: { message: ` ${cause.message}`, code: 422, details: { causes: [cause] } } };
}
