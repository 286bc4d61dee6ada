import type { Sensor, SensorReading } from '../../../machine/index.ts';
import { hasEvents, stateMask } from '../sensor/sensor.ts';
import { EVENT_TYPE } from '../sensor/event-sensors.ts';
import { encodeSdr, ENTITY, HEADER_LENGTH, OWNER, SDR_TYPE } from './sdr-record.ts';

const BODY_LENGTH = 26;
/** Scanning enabled at start, and events enabled. */
const INITIALIZATION = { scanning: 0x01, events: 0x02 };
/** Auto re-arm; no hysteresis, no thresholds; events for the whole sensor only, or none. */
const CAPABILITIES = { events: 0x42, noEvents: 0x43 };
const NOT_A_NUMBER = 0xc0;
/** The record describes one sensor. */
const SHARED_BY_ONE = 0x01;

/** Compact Sensor Record of a discrete sensor, IPMI 2.0 table 43-2. Offsets are those of the table minus one. */
export function compactSensorRecord(sensor: Sensor, reading: Extract<SensorReading, { kind: 'States' }>): Buffer {
  const events = hasEvents(sensor);
  const states = stateMask(reading.possible);
  const body = Buffer.alloc(BODY_LENGTH);
  const put = (offset: number, ...bytes: number[]): void => {
    body.set(bytes, offset - HEADER_LENGTH);
  };
  put(5, OWNER, 0, sensor.number, ENTITY.systemBoard, 1);
  put(10, INITIALIZATION.scanning | (events ? INITIALIZATION.events : 0));
  put(11, events ? CAPABILITIES.events : CAPABILITIES.noEvents, reading.type, EVENT_TYPE.sensorSpecific);
  body.writeUInt16LE(events ? states : 0, 14 - HEADER_LENGTH);
  body.writeUInt16LE(states, 18 - HEADER_LENGTH);
  put(20, NOT_A_NUMBER);
  put(23, SHARED_BY_ONE);
  return encodeSdr(SDR_TYPE.compact, body, sensor.name);
}
