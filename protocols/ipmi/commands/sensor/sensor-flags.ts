import type { Sensor } from '../../../machine/index.ts';
import { EVENT_SENSORS } from './event-sensors.ts';

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
