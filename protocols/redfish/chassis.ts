import { type Machine, MachineError, type PowerState } from '../machine/index.ts';
import { legacyRoutes, sensorRoutes, subsystemRoutes } from './power-thermal.ts';
import { collection, type Patch, type Resource, type Route } from './resource.ts';
import { CHASSIS, link, MANAGER, ROOT, SYSTEM } from './uris.ts';
import type { RedfishContext } from './context.ts';
import type { JsonObject } from './json.ts';
import type { RedfishOptions } from './options.ts';
import type { RedfishSettings } from './state.ts';

/** The chassis of a virtual machine: mainly the place of its sensors. */
export function chassisRoutes(context: RedfishContext): Route[] {
  return [
    ...chassisResourceRoutes(context),
    ...subsystemRoutes(),
    ...sensorRoutes(context.options.machine),
    ...legacyRoutes(context.options),
  ];
}

function chassisResourceRoutes({ options }: RedfishContext): Route[] {
  const find = (): Resource => chassis(options);
  const all = collection('ChassisCollection', 'Chassis', () => [{ uri: CHASSIS, resource: find() }]);
  return [
    { path: `${ROOT}/Chassis`, find: () => all },
    { path: CHASSIS, find },
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
  const { manufacturer, model, serial, assetTag } = machine.hardware();
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
    SKU: null,
    PartNumber: null,
    SerialNumber: serial ?? smbiosSerial ?? null,
    AssetTag: settings.assetTag ?? assetTag ?? null,
    UUID: uuid ?? null,
    PowerState: power ?? null,
    LocationIndicatorActive: isActive,
    Status:
      power === undefined ? { State: 'UnavailableOffline', Health: 'Warning' } : { State: 'Enabled', Health: 'OK' },
    LogServices: link(`${CHASSIS}/LogServices`),
    Sensors: link(`${CHASSIS}/Sensors`),
    Drives: link(`${CHASSIS}/Drives`),
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

/** Asset tag and indicator are shared with the System. */
function patch(options: RedfishOptions): Patch {
  return {
    rules: {
      kind: 'object',
      properties: {
        AssetTag: { kind: 'text', maxLength: 63, isNullable: true },
        LocationIndicatorActive: { kind: 'flag' },
        ...(options.legacyProperties() ? { IndicatorLED: { kind: 'word', words: ['Lit', 'Off'] } } : {}),
      },
    },
    apply: async (changes, { requester }) => {
      const changed = settingsOf(changes);
      await options.state.change(({ settings }) => ({ settings: { ...settings, ...changed } }));
      options.observer.audited(requester, `Chassis: ${Object.keys(changes).join(', ')} changed`);
      return undefined;
    },
  };
}

/** The newer of the two indicator properties takes precedence. */
function settingsOf({ AssetTag, LocationIndicatorActive, IndicatorLED }: JsonObject): RedfishSettings {
  return {
    // Null restores the virtual machine's own asset tag.
    ...(AssetTag !== undefined && { assetTag: typeof AssetTag === 'string' ? AssetTag : undefined }),
    ...(IndicatorLED !== undefined && { indicatorActive: IndicatorLED !== 'Off' }),
    ...(typeof LocationIndicatorActive === 'boolean' && { indicatorActive: LocationIndicatorActive }),
  };
}
