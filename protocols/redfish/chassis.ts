import { type Machine, MachineError, type PowerState } from '../machine/index.ts';
import { legacyRoutes, subsystemRoutes } from './power-thermal.ts';
import { collection, type Patch, type Resource, type Route } from './resource.ts';
import { CHASSIS, link, MANAGER, ROOT, SYSTEM } from './uris.ts';
import type { RedfishContext } from './context.ts';
import type { JsonObject } from './json.ts';
import { labelRules, withLabels } from './labels.ts';
import { SENSORS, sensorRoutes } from './sensors.ts';
import type { RedfishOptions } from './options.ts';

/** The chassis of a virtual machine: mainly the place of its sensors. */
export function chassisRoutes({ options }: RedfishContext): Route[] {
  const find = (): Resource => chassis(options);
  const all = collection('ChassisCollection', 'Chassis', () => [{ uri: CHASSIS, resource: find() }]);
  return [
    { path: `${ROOT}/Chassis`, find: () => all },
    { path: CHASSIS, find },
    ...subsystemRoutes(),
    ...sensorRoutes(options.machine),
    ...legacyRoutes(options),
  ];
}

function chassis(options: RedfishOptions): Resource {
  return {
    type: 'Chassis.v1_28_0.Chassis',
    read: async () => {
      await options.machine.refresh();
      return payload(options);
    },
    patch: patch(options),
  };
}

function payload(options: RedfishOptions): JsonObject {
  const { machine } = options;
  const { manufacturer, model, sku, serial, assetTag } = machine.hardware();
  const { uuid, serial: smbiosSerial } = machine.identity();
  const { settings = {} } = options.state.current();
  const isActive = settings.indicatorActive ?? false;
  const power = powerStateOf(machine);
  return {
    Id: '1',
    Name: 'Chassis',
    Description: 'Virtual; there is no enclosure.',
    ChassisType: 'Other',
    Manufacturer: manufacturer,
    Model: model ?? null,
    SKU: sku ?? null,
    PartNumber: null,
    SerialNumber: serial ?? smbiosSerial ?? null,
    AssetTag: settings.assetTag ?? assetTag ?? null,
    UUID: uuid ?? null,
    PowerState: power ?? null,
    LocationIndicatorActive: isActive,
    Status:
      power === undefined ? { State: 'UnavailableOffline', Health: 'Warning' } : { State: 'Enabled', Health: 'OK' },
    LogServices: link(`${CHASSIS}/LogServices`),
    Sensors: link(SENSORS),
    Drives: link(`${CHASSIS}/Drives`),
    NetworkAdapters: link(`${CHASSIS}/NetworkAdapters`),
    TrustedComponents: link(`${CHASSIS}/TrustedComponents`),
    PowerSubsystem: link(`${CHASSIS}/PowerSubsystem`),
    ThermalSubsystem: link(`${CHASSIS}/ThermalSubsystem`),
    ...(options.legacyProperties()
      ? {
          IndicatorLED: isActive ? 'Lit' : 'Off',
          Power: link(`${CHASSIS}/Power`),
          Thermal: link(`${CHASSIS}/Thermal`),
        }
      : {}),
    Links: {
      ComputerSystems: [link(SYSTEM)],
      ManagedBy: [link(MANAGER)],
      ManagersInChassis: [link(MANAGER)],
    },
  };
}

/** Undefined: not known. */
function powerStateOf(machine: Machine): PowerState | undefined {
  try {
    return machine.powerState();
  } catch (error) {
    if (error instanceof MachineError) return undefined;
    throw error;
  }
}

function patch({ state, observer, legacyProperties }: RedfishOptions): Patch {
  return {
    rules: { kind: 'object', properties: labelRules(legacyProperties()) },
    apply: async (changes, { requester }) => {
      await state.change(({ settings = {} }) => ({ settings: withLabels(settings, changes) }));
      observer.audited(requester, `Chassis: ${Object.keys(changes).join(', ')} changed`);
      return undefined;
    },
  };
}
