import type { Sensor } from '../../../machine/index.ts';
import { EVENT_SENSORS } from './event-sensors.ts';

const FLAG = { events: 0x80, scanning: 0x40, unavailable: 0x20 };

/** Whether the event log tells of its states. */
export function hasEvents({ reading }: Sensor): boolean {
  return reading.kind === 'States' && Object.values(EVENT_SENSORS).some(({ type }) => type === reading.type);
}

/** The byte that tells of a sensor's reading, IPMI 2.0 table 35-15: whether it has events, is scanned, and has none now. */
export function sensorFlags(sensor: Sensor): number {
  return enableFlags(sensor) | (isAvailable(sensor) ? 0 : FLAG.unavailable);
}

/** The same without the reading. */
export function enableFlags(sensor: Sensor): number {
  return FLAG.scanning | (hasEvents(sensor) ? FLAG.events : 0);
}

function isAvailable({ reading }: Sensor): boolean {
  return reading.kind === 'Number' ? reading.value !== undefined : reading.states !== undefined;
}
