import type { Caller } from '../resource.ts';
import { base, RedfishError } from '../messages.ts';
import { isAllowed } from '../privileges.ts';
import { ACCOUNTS } from '../uris.ts';
import { type Place, schemaName } from './place.ts';

export type Method = 'GET' | 'PATCH' | 'POST' | 'DELETE';

/** Whether the caller has the privilege for the operation. */
export function mayUse(caller: Caller, place: Place, method: Method): boolean {
  return !mustChangeFirst(caller, place, method) && hasPrivilege(caller, place, method);
}

/**
 * Refuses operations without the privilege.
 *
 * @throws RedfishError 403
 */
export function checkAccess(caller: Caller, place: Place, method: Method): void {
  if (mustChangeFirst(caller, place, method)) checkPassword(caller);
  if (!hasPrivilege(caller, place, method)) throw new RedfishError(403, [base('InsufficientPrivilege')]);
}

/**
 * Refuses all other operations while the caller must change its password.
 *
 * @throws RedfishError 403
 */
export function checkPassword({ mustChangePassword, account }: Caller): void {
  if (mustChangePassword !== true) return;
  throw new RedfishError(403, [base('PasswordChangeRequired', [`${ACCOUNTS}/${account.id}`])]);
}

function hasPrivilege(caller: Caller, { route, resource, uri }: Place, method: Method): boolean {
  const entity = route.entity ?? schemaName(resource);
  const isOwn = resource.isOwn?.(caller) ?? false;
  return isAllowed(caller.account.role, { method, entity, uri, isOwn });
}

function mustChangeFirst(caller: Caller, place: Place, method: Method): boolean {
  return caller.mustChangePassword === true && !isWayOut(caller, place, method);
}

/** Operations allowed before a required password change: reading and changing the account, and log-out (DSP0266 §13.2.6.1). */
function isWayOut(caller: Caller, { resource }: Place, method: Method): boolean {
  if (resource.isOwn?.(caller) !== true) return false;
  return schemaName(resource) === 'Session' ? method === 'DELETE' : method === 'GET' || method === 'PATCH';
}
