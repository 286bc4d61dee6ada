import type { Command } from '../command.ts';
import {
  getSensorEventEnable,
  getSensorHysteresis,
  getSensorThresholds,
  setSensorEventEnable,
  setSensorHysteresis,
  setSensorThresholds,
} from './sensor-settings.ts';
import { getSensorEventStatus, getSensorReading, getSensorType } from './sensor-readings.ts';

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
