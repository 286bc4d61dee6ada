import { collection } from '../collection.ts';
import type { Resource, Route } from '../resource.ts';
import { CHASSIS, link } from '../uris.ts';

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
    TemperatureSummaryCelsius: { Internal: null, Intake: null, Exhaust: null, Ambient: null },
    TemperatureReadingsCelsius: [],
  }),
};
