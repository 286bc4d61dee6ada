import type { Machine, Sensor, SensorReading, SensorUnit } from '../machine/index.ts';
import type { Resource, Route } from './resource.ts';
import { partRoutes } from './system/part.ts';
import { CHASSIS } from './uris.ts';

export const SENSORS = `${CHASSIS}/Sensors`;

/** UCUM case-sensitive symbols for Sensor.ReadingUnits; braces mark a UCUM annotation. */
export const UNITS: Readonly<Record<SensorUnit, string>> = {
  Percent: '%',
  MiB: 'MiBy',
  Count: '{Count}',
  Seconds: 's',
  'MiB/s': 'MiBy/s',
};

/** Two decimal places are shown. */
export function roundedReading(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The numeric sensors of the machine. The System shows discrete states. */
export function sensorRoutes(machine: Machine): Route[] {
  return partRoutes(SENSORS, 'SensorCollection', 'Sensors', () =>
    numericSensors(machine).map((sensor) => ({ id: String(sensor.number), resource: resourceOf(sensor) })),
  );
}

export type NumericSensor = Sensor & { readonly reading: SensorReading & { kind: 'Number' } };

export function numericSensors(machine: Machine): NumericSensor[] {
  return machine.sensors().flatMap((sensor) => {
    const { reading } = sensor;
    return reading.kind === 'Number' ? [{ ...sensor, reading }] : [];
  });
}

function resourceOf({ number, name, source, reading }: NumericSensor): Resource {
  const { unit, min, max, value } = reading;
  return {
    type: 'Sensor.v1_12_0.Sensor',
    isVolatile: true,
    read: () => ({
      Id: String(number),
      Name: name,
      Description: `Reported by ${source}`,
      Status: value === undefined ? { State: 'UnavailableOffline' } : { State: 'Enabled', Health: 'OK' },
      // Redfish has no reading type for memory sizes and counts.
      ...(unit === 'Percent' && { ReadingType: 'Percent' }),
      Implementation: 'Reported',
      Reading: value === undefined ? null : roundedReading(value),
      ReadingUnits: UNITS[unit],
      ReadingRangeMin: min,
      ReadingRangeMax: max,
    }),
  };
}
