import { StatusError, unsupportedMediaType } from '../status.ts';
import type { RequestBody } from './request-body.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Throws 415 for a patch of a kind that the resource does not take. */
export function checkPatchType({ type }: RequestBody, isCustom: boolean): void {
  const known = [JSON_PATCH, MERGE_PATCH, ...(isCustom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH];
  if (known.includes(type)) return;
  // A kube-apiserver's router says it for the built-in kinds.
  throw isCustom
    ? unsupportedMediaType(known)
    : new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}
