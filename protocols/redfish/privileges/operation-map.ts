import type { Privilege } from './privilege.ts';

/** One of these is sufficient. */
type Needs = readonly Privilege[];

/** Required privileges for the operations on an entity. HEAD follows GET, PUT follows PATCH. */
export interface OperationMap {
  readonly GET: Needs;
  readonly PATCH: Needs;
  readonly POST: Needs;
  readonly DELETE: Needs;
}

const CONFIGURE_MANAGER = written(['ConfigureManager']);
const CONFIGURE_COMPONENTS = written(['ConfigureComponents']);

/** The entities of DSP8011's privilege registry that this service has. */
export const OPERATION_MAPS: Readonly<Record<string, OperationMap>> = {
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
export const OTHERS = CONFIGURE_MANAGER;

/** Overrides for an entity below another one (DSP0266 §13.2.9.4). */
export const SUBORDINATE_OVERRIDES = {
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
