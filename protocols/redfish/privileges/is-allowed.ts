import type { Role } from '../../accounts.ts';
import { MANAGER } from '../uris.ts';
import { OPERATION_MAPS, type OperationMap, OTHERS, SUBORDINATE_OVERRIDES } from './operation-map.ts';
import { ROLE_PRIVILEGES } from './privilege.ts';

/** A requested operation. */
export interface Operation {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'DELETE';
  /** Entity of the resource as in the privilege registry. */
  readonly entity: string;
  readonly uri: string;
  /** The resource is the caller's own account, session or subscription. */
  readonly isOwn: boolean;
}

export function isAllowed(role: Role, { method, entity, uri, isOwn }: Operation): boolean {
  const has = ROLE_PRIVILEGES[role];
  return operationsOf(entity, uri)[method].some((need) => has.includes(need) && (need !== 'ConfigureSelf' || isOwn));
}

function operationsOf(entity: string, uri: string): OperationMap {
  const { entities, operations } = SUBORDINATE_OVERRIDES;
  if (entities.includes(entity) && uri.startsWith(MANAGER)) return operations;
  return OPERATION_MAPS[entity] ?? OTHERS;
}
