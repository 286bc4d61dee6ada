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
