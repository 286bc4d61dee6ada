import type { Sensor, SensorReading } from '../../../machine/index.ts';
import { rawOf, scaleOf, type SensorScale } from '../sensor/sensor-scale.ts';
import { EVENT_TYPE, SENSOR_TYPE } from '../sensor/event-sensors.ts';
import { encodeSdr, ENTITY, HEADER_LENGTH, OWNER, SDR_TYPE } from './sdr-record.ts';

const BODY_LENGTH = 42;
/** Scanning enabled at start. */
const INITIALIZATION = 0x01;
/** Auto re-arm; no hysteresis, no thresholds, no events. */
const CAPABILITIES = 0x43;
const PER_SECOND = 0x18;
const IS_PERCENTAGE = 0x01;

/** Full Sensor Record of a numeric sensor, IPMI 2.0 table 43-1. Offsets are those of the table minus one. */
export function fullSensorRecord(sensor: Sensor, reading: Extract<SensorReading, { kind: 'Number' }>): Buffer {
  const scale = scaleOf(reading);
  const body = Buffer.alloc(BODY_LENGTH);
  const put = (offset: number, ...bytes: number[]): void => {
    body.set(bytes, offset - HEADER_LENGTH);
  };
  put(5, OWNER, 0, sensor.number, ENTITY.systemBoard, 1, INITIALIZATION, CAPABILITIES);
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
