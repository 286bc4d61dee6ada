import type { Command } from '../command.ts';
import { setSensorEventEnable, setSensorHysteresis, setSensorThresholds } from './fixed-settings.ts';
import { getSensorEventEnable } from './get-sensor-event-enable.ts';
import { getSensorEventStatus } from './get-sensor-event-status.ts';
import { getSensorHysteresis } from './get-sensor-hysteresis.ts';
import { getSensorReading } from './get-sensor-reading.ts';
import { getSensorThresholds } from './get-sensor-thresholds.ts';
import { getSensorType } from './get-sensor-type.ts';

/** Sensor commands, IPMI 2.0 §35. */
export const SENSOR_COMMANDS: readonly Command[] = [
  setSensorHysteresis,
  getSensorHysteresis,
  setSensorThresholds,
  getSensorThresholds,
  setSensorEventEnable,
  getSensorEventEnable,
  getSensorEventStatus,
  getSensorReading,
  getSensorType,
];
