import { base, RedfishError } from '../../messages/index.ts';

/** There is nothing, or no longer. */
export function gone(uri: string): RedfishError {
  return new RedfishError(404, [base('ResourceMissingAtURI', [uri])]);
}

/** What is there cannot be used like that. */
export function notAllowed(allowed: readonly string[]): RedfishError {
  return new RedfishError(405, [base('OperationNotAllowed')], { Allow: allowed.join(', ') });
}
