import type { Sensor } from '../../../machine/index.ts';
import { SENSOR_TYPE } from './sensor-type.ts';

/** A sensor that has no reading and is there for what the event log tells of it; an event-only record describes it. */
export interface EventSensor {
  /** Machines' own sensors are numbered below these. */
  readonly number: number;
  readonly type: number;
  /** At most 16 ASCII characters. */
  readonly name: string;
}

/** Numbers are part of records that clients keep; they never change. */
export const EVENT_SENSORS = {
  powerState: { number: 0xe0, type: SENSOR_TYPE.acpiPowerState, name: 'Power Seen' },
  powerControl: { number: 0xe1, type: SENSOR_TYPE.powerUnit, name: 'Power Control' },
  powerButton: { number: 0xe2, type: SENSOR_TYPE.button, name: 'Power Button' },
  boot: { number: 0xe3, type: SENSOR_TYPE.systemBoot, name: 'Boot' },
  diagnosticInterrupt: { number: 0xe4, type: SENSOR_TYPE.criticalInterrupt, name: 'Diag Interrupt' },
  bootOverride: { number: 0xe5, type: SENSOR_TYPE.systemEvent, name: 'Boot Override' },
  media: { number: 0xe6, type: SENSOR_TYPE.driveSlot, name: 'Media' },
  login: { number: 0xe7, type: SENSOR_TYPE.securityViolation, name: 'Login' },
  watchdog: { number: 0xe8, type: SENSOR_TYPE.watchdog2, name: 'Watchdog' },
  accounts: { number: 0xe9, type: SENSOR_TYPE.systemEvent, name: 'Accounts' },
  eventLog: { number: 0xea, type: SENSOR_TYPE.eventLogging, name: 'Event Log' },
  lockout: { number: 0xeb, type: SENSOR_TYPE.sessionAudit, name: 'Lockout' },
} as const satisfies Record<string, EventSensor>;

/** The number that events of a sensor carry: that of the machine's own sensor of the type, where it has one. */
export function eventSensorNumber(sensor: EventSensor, measured: readonly Sensor[]): number {
  const own = measured.find(({ reading }) => reading.kind === 'States' && reading.type === sensor.type);
  return own?.number ?? sensor.number;
}

/** Those that no sensor of the machine's stands for. */
export function eventOnlySensors(measured: readonly Sensor[]): EventSensor[] {
  return Object.values(EVENT_SENSORS).filter((sensor) => eventSensorNumber(sensor, measured) === sensor.number);
}
