import type { Machine, Sensor } from '../../../machine/index.ts';
import { COMPLETION, CompletionError } from '../../message/codes.ts';
import { EVENT_SENSORS } from './event-sensors.ts';

/** @throws CompletionError 0xCB if no sensor with a reading has this number */
export function findSensor(machine: Machine, number: number): Sensor {
  const sensor = machine.sensors().find((candidate) => candidate.number === number);
  if (sensor === undefined) throw new CompletionError(COMPLETION.notPresent, `no sensor ${number}`);
  return sensor;
}

/**
 * Finds a numeric sensor; only those have thresholds and hysteresis.
 *
 * @throws CompletionError 0xCB, 0xCD
 */
export function findNumberSensor(machine: Machine, number: number): Sensor {
  const sensor = findSensor(machine, number);
  if (sensor.reading.kind === 'Number') return sensor;
  throw new CompletionError(COMPLETION.notForSensor, `sensor ${number} is discrete`);
}

const FLAG = { events: 0x80, scanning: 0x40, unavailable: 0x20 };

/** Whether state changes are written to the event log. */
export function hasEvents({ reading }: Sensor): boolean {
  return reading.kind === 'States' && Object.values(EVENT_SENSORS).some(({ type }) => type === reading.type);
}

/** Flags of a sensor reading, IPMI 2.0 table 35-15: events enabled, scanning enabled, reading unavailable. */
export function sensorFlags(sensor: Sensor): number {
  return enableFlags(sensor) | (isAvailable(sensor) ? 0 : FLAG.unavailable);
}

/** The flags without the reading bit. */
export function enableFlags(sensor: Sensor): number {
  return FLAG.scanning | (hasEvents(sensor) ? FLAG.events : 0);
}

function isAvailable({ reading }: Sensor): boolean {
  return reading.kind === 'Number' ? reading.value !== undefined : reading.states !== undefined;
}

/** Bit mask of the offsets 0 to 14. */
export function stateMask(offsets: readonly number[]): number {
  return offsets.reduce((mask, offset) => mask | ((1 << offset) & 0x7fff), 0);
}
