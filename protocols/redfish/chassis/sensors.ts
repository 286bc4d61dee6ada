import type { Machine, Sensor, SensorReading, SensorUnit } from '../../machine/index.ts';
import { collection } from '../collection.ts';
import type { Resource, Route } from '../resource.ts';
import { CHASSIS } from '../uris.ts';

const SENSORS = `${CHASSIS}/Sensors`;

/** UCUM case-sensitive symbols for Sensor.ReadingUnits; braces mark a UCUM annotation. */
const UNITS: Readonly<Record<SensorUnit, string>> = {
  Percent: '%',
  MiB: 'MiBy',
  Count: '{Count}',
  Seconds: 's',
  'MiB/s': 'MiBy/s',
};

/** The numeric sensors of the machine. The System shows discrete states. */
export function sensorRoutes(machine: Machine): Route[] {
  const find = (id = ''): Resource | undefined =>
    numericSensors(machine).find(({ uri }) => uri === `${SENSORS}/${id}`)?.resource;
  const sensors = collection('SensorCollection', 'Sensors', () => numericSensors(machine));
  return [
    { path: SENSORS, find: () => sensors },
    { path: `${SENSORS}/{sensor}`, find: ({ sensor }) => find(sensor) },
  ];
}

function numericSensors(machine: Machine): { uri: string; resource: Resource }[] {
  return machine.sensors().flatMap((sensor) => {
    const { number, reading } = sensor;
    return reading.kind === 'Number' ? [{ uri: `${SENSORS}/${number}`, resource: resourceOf(sensor, reading) }] : [];
  });
}

function resourceOf({ number, name, source }: Sensor, reading: SensorReading & { kind: 'Number' }): Resource {
  const { unit, min, max, value } = reading;
  return {
    type: 'Sensor.v1_12_0.Sensor',
    isVolatile: true,
    read: () => ({
      Id: String(number),
      Name: name,
      Description: `As told by ${source}`,
      Status: value === undefined ? { State: 'UnavailableOffline' } : { State: 'Enabled', Health: 'OK' },
      // Redfish has no reading type for memory sizes and counts.
      ...(unit === 'Percent' && { ReadingType: 'Percent' }),
      Implementation: 'Reported',
      Reading: value === undefined ? null : Math.round(value * 100) / 100,
      ReadingUnits: UNITS[unit],
      ReadingRangeMin: min,
      ReadingRangeMax: max,
    }),
  };
}
