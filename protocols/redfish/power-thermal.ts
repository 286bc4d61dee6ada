import { collection, type Resource, type Route } from './resource.ts';
import { CHASSIS, link, SYSTEM } from './uris.ts';
import type { JsonObject } from './json.ts';
import type { RedfishOptions } from './options.ts';

const LEGACY_POWER = `${CHASSIS}/Power`;
const LEGACY_THERMAL = `${CHASSIS}/Thermal`;

/**
 * The deprecated predecessors of PowerSubsystem and ThermalSubsystem, for older clients and profiles. OCPServerHardwareManagement
 * requires a power reading and three thermometers: they are listed as absent.
 */
export function legacyRoutes(options: RedfishOptions): Route[] {
  const whereShown = (resource: Resource) => () => (options.legacyProperties() ? resource : undefined);
  return [
    { path: LEGACY_POWER, find: whereShown(POWER_RESOURCE) },
    { path: LEGACY_THERMAL, find: whereShown(THERMAL_RESOURCE) },
  ];
}

const POWER_RESOURCE: Resource = {
  type: 'Power.v1_7_3.Power',
  read: () => ({
    Id: 'Power',
    Name: 'Power',
    PowerControl: [
      {
        '@odata.id': `${LEGACY_POWER}#/PowerControl/0`,
        MemberId: '0',
        Name: 'System Power Control',
        PowerConsumedWatts: null,
        PowerCapacityWatts: null,
        PowerLimit: { LimitInWatts: null, LimitException: null },
        Status: { State: 'Absent' },
        RelatedItem: [link(SYSTEM)],
      },
    ],
    PowerSupplies: [],
  }),
};

const THERMAL_RESOURCE: Resource = {
  type: 'Thermal.v1_7_3.Thermal',
  read: () => ({
    Id: 'Thermal',
    Name: 'Thermal',
    Status: { State: 'Absent' },
    Temperatures: [
      temperature(0, 'CPU', 'CPU Temperature'),
      temperature(1, 'Intake', 'Intake Temperature'),
      temperature(2, 'SystemBoard', 'System Board Temperature'),
    ],
    Fans: [],
  }),
};

function temperature(index: number, context: string, name: string): JsonObject {
  return {
    '@odata.id': `${LEGACY_THERMAL}#/Temperatures/${index}`,
    MemberId: String(index),
    Name: name,
    PhysicalContext: context,
    SensorNumber: null,
    ReadingCelsius: null,
    MinReadingRangeTemp: null,
    MaxReadingRangeTemp: null,
    UpperThresholdNonCritical: null,
    UpperThresholdCritical: null,
    UpperThresholdFatal: null,
    Status: { State: 'Absent' },
  };
}

const POWER = `${CHASSIS}/PowerSubsystem`;
const THERMAL = `${CHASSIS}/ThermalSubsystem`;

/** Power supplies, fans and thermometers belong to the host; profiles require empty collections. */
export function subsystemRoutes(): Route[] {
  return [
    { path: POWER, find: () => POWER_SUBSYSTEM },
    { path: `${POWER}/PowerSupplies`, find: () => POWER_SUPPLIES },
    { path: THERMAL, find: () => THERMAL_SUBSYSTEM },
    { path: `${THERMAL}/Fans`, find: () => FANS },
    { path: `${THERMAL}/ThermalMetrics`, find: () => THERMAL_METRICS },
  ];
}

const ABSENT = { State: 'Absent' };
const POWER_SUPPLIES = collection('PowerSupplyCollection', 'Power Supplies', () => []);
const FANS = collection('FanCollection', 'Fans', () => []);

const POWER_SUBSYSTEM: Resource = {
  type: 'PowerSubsystem.v1_1_3.PowerSubsystem',
  read: () => ({
    Id: 'PowerSubsystem',
    Name: 'Power Subsystem',
    Status: ABSENT,
    CapacityWatts: null,
    PowerSupplies: link(`${POWER}/PowerSupplies`),
  }),
};

const THERMAL_SUBSYSTEM: Resource = {
  type: 'ThermalSubsystem.v1_5_0.ThermalSubsystem',
  read: () => ({
    Id: 'ThermalSubsystem',
    Name: 'Thermal Subsystem',
    Status: ABSENT,
    Fans: link(`${THERMAL}/Fans`),
    ThermalMetrics: link(`${THERMAL}/ThermalMetrics`),
  }),
};

const THERMAL_METRICS: Resource = {
  type: 'ThermalMetrics.v1_3_2.ThermalMetrics',
  read: () => ({
    Id: 'ThermalMetrics',
    Name: 'Thermal Metrics',
    TemperatureReadingsCelsius: [],
  }),
};
