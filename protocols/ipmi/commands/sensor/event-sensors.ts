import type { Sensor } from '../../../machine/index.ts';

/** Supported sensor types, IPMI 2.0 table 42-3. */
export const SENSOR_TYPE = {
  securityViolation: 0x06,
  powerUnit: 0x09,
  otherUnits: 0x0b,
  driveSlot: 0x0d,
  eventLogging: 0x10,
  systemEvent: 0x12,
  criticalInterrupt: 0x13,
  button: 0x14,
  systemBoot: 0x1d,
  acpiPowerState: 0x22,
  watchdog2: 0x23,
  sessionAudit: 0x2a,
} as const;

/** Event/reading type codes, IPMI 2.0 table 42-1. */
export const EVENT_TYPE = { threshold: 0x01, sensorSpecific: 0x6f } as const;

/** A sensor without a reading, as the source of log events; described by an event-only record. */
export interface EventSensor {
  /** Numbers of the machine's own sensors are lower. */
  readonly number: number;
  readonly type: number;
  /** At most 16 ASCII characters. */
  readonly name: string;
}

/** The numbers are part of records stored by clients and must never change. */
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

/** The sensor number of an event: that of the machine's own sensor of the same type, if it exists. */
export function eventSensorNumber(sensor: EventSensor, measured: readonly Sensor[]): number {
  const own = measured.find(({ reading }) => reading.kind === 'States' && reading.type === sensor.type);
  return own?.number ?? sensor.number;
}

/** Event sensors without a corresponding sensor of the machine. */
export function eventOnlySensors(measured: readonly Sensor[]): EventSensor[] {
  return Object.values(EVENT_SENSORS).filter((sensor) => eventSensorNumber(sensor, measured) === sensor.number);
}
