import type { JsonObject } from '../json.ts';
import type { Route } from '../resource.ts';
import { REGISTRIES } from '../uris.ts';
import { OPERATION_MAPS, type OperationMap, SUBORDINATE_OVERRIDES } from './operation-map.ts';
import { ROLE_PRIVILEGES } from './privilege.ts';

/** URI of the privilege registry of this service. */
const PRIVILEGE_REGISTRY = `${REGISTRIES}/PrivilegeRegistry/PrivilegeRegistry.json`;

export function privilegeRegistryRoute(): Route {
  const resource = { type: 'PrivilegeRegistry.v1_2_0.PrivilegeRegistry', read: registry };
  return { path: PRIVILEGE_REGISTRY, find: () => resource };
}

function registry(): JsonObject {
  return {
    Id: 'PrivilegeRegistry',
    Name: 'Privilege Map',
    PrivilegesUsed: ROLE_PRIVILEGES.Administrator,
    OEMPrivilegesUsed: [],
    Mappings: Object.entries(OPERATION_MAPS).map(([entity, operations]) => ({
      Entity: entity,
      OperationMap: spellOut(operations),
      ...(SUBORDINATE_OVERRIDES.entities.includes(entity) && {
        SubordinateOverrides: [{ Targets: targets(entity), OperationMap: spellOut(SUBORDINATE_OVERRIDES.operations) }],
      }),
    })),
  };
}

/** The entities between the overriding one and the overridden one. */
function targets(entity: string): readonly string[] {
  return entity.endsWith('Collection')
    ? [SUBORDINATE_OVERRIDES.under]
    : [SUBORDINATE_OVERRIDES.under, `${entity}Collection`];
}

/** Each privilege of a list is sufficient. */
function spellOut({ GET, PATCH, POST, DELETE }: OperationMap): JsonObject {
  const all = { GET, HEAD: GET, PATCH, POST, PUT: PATCH, DELETE };
  return Object.fromEntries(
    Object.entries(all).map(([method, needs]) => [method, needs.map((need) => ({ Privilege: [need] }))]),
  );
}
