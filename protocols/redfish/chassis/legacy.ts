import type { JsonObject } from '../json.ts';
import type { RedfishOptions } from '../options.ts';
import type { Resource, Route } from '../resource.ts';
import { CHASSIS, link, SYSTEM } from '../uris.ts';

const POWER = `${CHASSIS}/Power`;
const THERMAL = `${CHASSIS}/Thermal`;

/**
 * The deprecated predecessors of PowerSubsystem and ThermalSubsystem, for older clients and profiles. OCPServerHardwareManagement
 * requires a power reading and three thermometers: they are listed as absent.
 */
export function legacyRoutes(options: RedfishOptions): Route[] {
  const whereShown = (resource: Resource) => () => (options.legacyProperties() ? resource : undefined);
  return [
    { path: POWER, find: whereShown(POWER_RESOURCE) },
    { path: THERMAL, find: whereShown(THERMAL_RESOURCE) },
  ];
}

const POWER_RESOURCE: Resource = {
  type: 'Power.v1_7_3.Power',
  read: () => ({
    Id: 'Power',
    Name: 'Power',
    PowerControl: [
      {
        '@odata.id': `${POWER}#/PowerControl/0`,
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
    '@odata.id': `${THERMAL}#/Temperatures/${index}`,
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
