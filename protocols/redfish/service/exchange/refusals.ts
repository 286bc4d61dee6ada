import { base, RedfishError } from '../../messages/index.ts';

/** The resource does not exist, or no longer. */
export function gone(uri: string): RedfishError {
  return new RedfishError(404, [base('ResourceMissingAtURI', [uri])]);
}

/** The method is not allowed. */
export function notAllowed(allowed: readonly string[]): RedfishError {
  return new RedfishError(405, [base('OperationNotAllowed')], { Allow: allowed.join(', ') });
}
