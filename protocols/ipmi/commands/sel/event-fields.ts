import type { MachineEvent, PowerAction, Requester } from '../../../machine/index.ts';
import { LAN_CHANNEL } from '../channel/channel.ts';
import { EVENT_SENSORS, type EventSensor } from '../sensor/event-sensors.ts';

/** Contents of an event's standard record, IPMI 2.0 table 32-1 and §29.7. */
export interface EventFields {
  sensor: EventSensor;
  /** Sensor-specific offset, table 42-3. */
  offset: number;
  /** True: the state is asserted; false: it is deasserted, or was requested but not reached. */
  asserted: boolean;
  data2?: EventData;
  data3?: EventData;
}

/** `specified`: the layout of table 42-3 for the sensor type; `oem`: defined per event. */
export interface EventData {
  meaning: 'specified' | 'oem';
  value: number;
}

/** Restart cause, IPMI 2.0 table 28-11. */
const SOFT_RESET_CAUSE = 0x0a;

const POWER_UNIT = { off: 0x00, cycle: 0x01, controlFailure: 0x05 };
const SYSTEM_BOOT = { powerUp: 0x00, hardReset: 0x01, restart: 0x07 };
/** `sleeping`: S1, the processor state is kept. */
const ACPI_POWER_STATE = { working: 0x00, sleeping: 0x01, softOff: 0x06 };
const SYSTEM_RECONFIGURED = 0x00;

/** Why a boot override ended, in event data 3. */
const OVERRIDE_END = { Cleared: 0, Booted: 1, Lapsed: 2, Dropped: 3, Refused: 4 };

const WATCHDOG_OFFSETS = { None: 0x00, Reset: 0x01, PowerDown: 0x02, PowerCycle: 0x03 };

/** Maps an event to IPMI fields. */
export function eventFieldsOf(event: Exclude<MachineEvent, { kind: 'Record' }>): EventFields {
  switch (event.kind) {
    case 'PowerState': {
      return acpiPowerState(event.state === 'On' ? ACPI_POWER_STATE.working : ACPI_POWER_STATE.softOff);
    }
    case 'PowerAction':
      return event.outcome === 'Accepted' ? POWER_ACTIONS[event.action] : powerUnit(POWER_UNIT.controlFailure);
    case 'BootOverride': {
      const sensor = EVENT_SENSORS.bootOverride;
      const asserted = event.outcome === 'Accepted' && event.target !== undefined;
      if (asserted) return { sensor, offset: SYSTEM_RECONFIGURED, asserted };
      const why = event.outcome === 'Accepted' ? OVERRIDE_END.Cleared : OVERRIDE_END.Refused;
      return { sensor, offset: SYSTEM_RECONFIGURED, asserted, data3: oem(why) };
    }
    case 'BootOrder': {
      const sensor = EVENT_SENSORS.bootOverride;
      const asserted = event.outcome === 'Accepted';
      const refused = asserted ? {} : { data3: oem(OVERRIDE_END.Refused) };
      return { sensor, offset: SYSTEM_RECONFIGURED, asserted, ...refused };
    }
    case 'BootOverrideEnded': {
      const data3 = oem(OVERRIDE_END[event.why]);
      return { sensor: EVENT_SENSORS.bootOverride, offset: SYSTEM_RECONFIGURED, asserted: false, data3 };
    }
    case 'Media':
      return { sensor: EVENT_SENSORS.media, offset: 0x00, asserted: event.change === 'Inserted' };
    case 'LoginFailed':
      return event.why === 'LockedOut'
        ? lockout(event.requester)
        : { ...LOGIN_FAILED, data3: oem(LOGIN_FAULT[event.why]) };
    case 'Watchdog': {
      const offset = WATCHDOG_OFFSETS[event.action];
      return { sensor: EVENT_SENSORS.watchdog, offset, asserted: true, data2: specified(event.use & 0x0f) };
    }
    case 'AccountChanged':
      return { sensor: EVENT_SENSORS.accounts, offset: SYSTEM_RECONFIGURED, asserted: true };
    case 'Cleared':
      return { sensor: EVENT_SENSORS.eventLog, offset: 0x02, asserted: true };
  }
}

/** Reason of a failed log-in, in event data 3. */
const LOGIN_FAULT = { UnknownUser: 0, WrongPassword: 1, Refused: 2 };

/** "Out-of-band access password violation". ipmitool can print this, but not the offsets of the session audit sensor. */
const LOGIN_FAILED: EventFields = { sensor: EVENT_SENSORS.login, offset: 0x05, asserted: true };

/** "Invalid password disable", required by LAN parameter 26. Data 2 would be the ID of a logged-in user; data 3 is the channel. */
function lockout({ protocol }: Requester): EventFields {
  const fields: EventFields = { sensor: EVENT_SENSORS.lockout, offset: 0x03, asserted: true };
  return protocol === 'IPMI' ? { ...fields, data2: specified(0), data3: specified(LAN_CHANNEL) } : fields;
}

/**
 * `On` and resets map to system boot; power-off to the power unit; pause to the closest ACPI state; the ACPI button and the NMI to
 * their own sensors.
 */
const POWER_ACTIONS: Record<PowerAction, EventFields> = {
  On: restart(SYSTEM_BOOT.powerUp),
  ForceOff: powerUnit(POWER_UNIT.off),
  GracefulShutdown: { sensor: EVENT_SENSORS.powerButton, offset: 0x00, asserted: true },
  GracefulRestart: { ...restart(SYSTEM_BOOT.restart), data2: specified(SOFT_RESET_CAUSE) },
  ForceRestart: restart(SYSTEM_BOOT.hardReset),
  PowerCycle: powerUnit(POWER_UNIT.cycle),
  Pause: acpiPowerState(ACPI_POWER_STATE.sleeping),
  Resume: acpiPowerState(ACPI_POWER_STATE.working),
  DiagnosticInterrupt: { sensor: EVENT_SENSORS.diagnosticInterrupt, offset: 0x00, asserted: true },
};

function acpiPowerState(offset: number): EventFields {
  return { sensor: EVENT_SENSORS.powerState, offset, asserted: true };
}

function restart(offset: number): EventFields {
  return { sensor: EVENT_SENSORS.boot, offset, asserted: true };
}

function powerUnit(offset: number): EventFields {
  return { sensor: EVENT_SENSORS.powerControl, offset, asserted: true };
}

function specified(value: number): EventData {
  return { meaning: 'specified', value };
}

function oem(value: number): EventData {
  return { meaning: 'oem', value };
}
