import type { Sensor, SensorReading } from '../../../machine/index.ts';
import { EVENT_TYPE, SENSOR_TYPE } from '../sensor/event-sensors.ts';
import { hasEvents, stateMask } from '../sensor/sensor.ts';
import { rawOf, scaleOf, type SensorScale } from '../sensor/sensor-scale.ts';
import { encodeSdr, ENTITY, HEADER_LENGTH, OWNER, SDR_TYPE } from './sdr-record.ts';

const COMPACT_LENGTH = 26;
const FULL_LENGTH = 42;
/** Scanning enabled at start, and events enabled. */
const INITIALIZATION = { scanning: 0x01, events: 0x02 };
/** Auto re-arm; no hysteresis, no thresholds; events for the whole sensor only, or none. */
const CAPABILITIES = { events: 0x42, noEvents: 0x43 };
const NOT_A_NUMBER = 0xc0;
/** The record describes one sensor. */
const SHARED_BY_ONE = 0x01;
const PER_SECOND = 0x18;
const IS_PERCENTAGE = 0x01;

/** Compact Sensor Record of a discrete sensor, IPMI 2.0 table 43-2. Offsets are those of the table minus one. */
export function compactSensorRecord(sensor: Sensor, reading: Extract<SensorReading, { kind: 'States' }>): Buffer {
  const events = hasEvents(sensor);
  const states = stateMask(reading.possible);
  const body = Buffer.alloc(COMPACT_LENGTH);
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

/** Full Sensor Record of a numeric sensor, IPMI 2.0 table 43-1. Offsets are those of the table minus one. */
export function fullSensorRecord(sensor: Sensor, reading: Extract<SensorReading, { kind: 'Number' }>): Buffer {
  const scale = scaleOf(reading);
  const body = Buffer.alloc(FULL_LENGTH);
  const put = (offset: number, ...bytes: number[]): void => {
    body.set(bytes, offset - HEADER_LENGTH);
  };
  put(5, OWNER, 0, sensor.number, ENTITY.systemBoard, 1, INITIALIZATION.scanning, CAPABILITIES.noEvents);
  put(12, SENSOR_TYPE.otherUnits, EVENT_TYPE.threshold);
  put(20, (scale.perSecond ? PER_SECOND : 0) | (scale.isPercentage ? IS_PERCENTAGE : 0), scale.baseUnit);
  put(24, ...factorBytes(scale));
  put(34, rawOf(reading.max, scale), rawOf(reading.min, scale));
  return encodeSdr(SDR_TYPE.full, body, sensor.name);
}

/** Bytes 25 to 30. M and B have 10 bits in two's complement, exponents 4; tolerance and accuracy are not specified. */
function factorBytes({ m, b, bExponent, rExponent }: SensorScale): number[] {
  const exponents = ((rExponent & 0x0f) << 4) | (bExponent & 0x0f);
  return [m & 0xff, (m >> 2) & 0xc0, b & 0xff, (b >> 2) & 0xc0, 0, exponents];
}
