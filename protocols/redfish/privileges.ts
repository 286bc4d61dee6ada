import type { Role } from '../accounts.ts';
import type { JsonObject } from './json.ts';
import type { Route } from './resource.ts';
import { MANAGER, REGISTRIES } from './uris.ts';

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

/** Privileges of DSP0266 §13.2.9. `ConfigureSelf` covers only the caller's own account and sessions. */
type Privilege = 'Login' | 'ConfigureManager' | 'ConfigureUsers' | 'ConfigureSelf' | 'ConfigureComponents';

/** Privileges of the predefined roles (DSP0266 §13.2.8). */
export const ROLE_PRIVILEGES: Readonly<Record<Role, readonly Privilege[]>> = {
  Administrator: ['Login', 'ConfigureManager', 'ConfigureUsers', 'ConfigureSelf', 'ConfigureComponents'],
  Operator: ['Login', 'ConfigureSelf', 'ConfigureComponents'],
  ReadOnly: ['Login', 'ConfigureSelf'],
  NoAccess: [],
};

/** One of these is sufficient. */
type Needs = readonly Privilege[];

/** Required privileges for the operations on an entity. HEAD follows GET, PUT follows PATCH. */
interface OperationMap {
  readonly GET: Needs;
  readonly PATCH: Needs;
  readonly POST: Needs;
  readonly DELETE: Needs;
}

const CONFIGURE_MANAGER = written(['ConfigureManager']);
const CONFIGURE_COMPONENTS = written(['ConfigureComponents']);

/** The entities of DSP8011's privilege registry that this service has. */
const OPERATION_MAPS: Readonly<Record<string, OperationMap>> = {
  ServiceRoot: CONFIGURE_MANAGER,
  AccountService: written(['ConfigureUsers']),
  ManagerAccountCollection: written(['ConfigureUsers']),
  ManagerAccount: {
    ...written(['ConfigureUsers']),
    GET: ['ConfigureManager', 'ConfigureUsers', 'ConfigureSelf'],
    PATCH: ['ConfigureUsers', 'ConfigureSelf'],
  },
  RoleCollection: CONFIGURE_MANAGER,
  Role: CONFIGURE_MANAGER,
  SessionService: CONFIGURE_MANAGER,
  SessionCollection: { ...CONFIGURE_MANAGER, POST: ['Login'] },
  Session: { ...CONFIGURE_MANAGER, DELETE: ['ConfigureManager', 'ConfigureSelf'] },
  ...each(
    [
      ...['ComputerSystemCollection', 'ComputerSystem', 'Bios', 'SecureBoot', 'BootOptionCollection', 'BootOption'],
      ...['ProcessorCollection', 'Processor', 'MemoryCollection', 'Memory', 'SimpleStorageCollection', 'SimpleStorage'],
      ...['StorageCollection', 'Storage', 'StorageControllerCollection', 'StorageController', 'Drive'],
      ...['VolumeCollection', 'Volume', 'EthernetInterfaceCollection', 'EthernetInterface'],
      ...['ChassisCollection', 'Chassis', 'PowerSubsystem', 'ThermalSubsystem', 'SensorCollection', 'Sensor'],
      ...['NetworkAdapterCollection', 'NetworkAdapter', 'PortCollection', 'Port'],
      ...['NetworkDeviceFunctionCollection', 'NetworkDeviceFunction'],
      ...['UpdateService', 'SoftwareInventoryCollection', 'SoftwareInventory'],
    ],
    CONFIGURE_COMPONENTS,
  ),
  ...each(
    [
      ...['ManagerCollection', 'Manager', 'ManagerNetworkProtocol', 'VirtualMediaCollection', 'VirtualMedia'],
      ...['LogServiceCollection', 'LogService', 'LogEntryCollection', 'LogEntry', 'Power', 'Thermal'],
      ...['EventService', 'TaskService', 'TaskCollection', 'Task', 'CertificateService'],
      ...['MessageRegistryFileCollection', 'MessageRegistryFile', 'JsonSchemaFileCollection', 'JsonSchemaFile'],
      ...['TrustedComponentCollection', 'TrustedComponent', 'TelemetryService'],
      ...['MetricDefinitionCollection', 'MetricDefinition', 'MetricReportCollection', 'MetricReport'],
      ...['MetricReportDefinitionCollection', 'MetricReportDefinition'],
      ...['AttributeRegistry', 'MessageRegistry', 'PrivilegeRegistry', 'ActionInfo'],
    ],
    CONFIGURE_MANAGER,
  ),
  ...each(['CertificateCollection', 'Certificate', 'CertificateLocations'], {
    ...CONFIGURE_MANAGER,
    GET: ['ConfigureManager'],
  }),
  EventDestinationCollection: { ...CONFIGURE_MANAGER, POST: ['ConfigureManager', 'ConfigureComponents'] },
  EventDestination: written(['ConfigureManager', 'ConfigureSelf']),
};

/** For all other entities: every user may read them. */
const OTHERS = CONFIGURE_MANAGER;

/** Overrides for an entity below another one (DSP0266 §13.2.9.4). */
const SUBORDINATE_OVERRIDES = {
  under: 'Manager',
  entities: ['EthernetInterfaceCollection', 'EthernetInterface'],
  operations: CONFIGURE_MANAGER,
};

function written(needs: Needs): OperationMap {
  return { GET: ['Login'], PATCH: needs, POST: needs, DELETE: needs };
}

function each(entities: readonly string[], operations: OperationMap): Record<string, OperationMap> {
  return Object.fromEntries(entities.map((entity) => [entity, operations]));
}

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
