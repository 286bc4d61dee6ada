import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { enableFlags, findNumberSensor, findSensor, hasEvents, stateMask } from './sensor.ts';

/** Get Sensor Hysteresis, IPMI 2.0 §35.7: positive and negative, both none. */
export const getSensorHysteresis: SessionCommand = {
  name: 'Get Sensor Hysteresis',
  netFn: NET_FN.sensor,
  command: 0x25,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc }) => {
    findNumberSensor(bmc.machine, request.readUInt8(0));
    return Buffer.alloc(2);
  },
};

const THRESHOLDS = 6;

/** Get Sensor Thresholds, IPMI 2.0 §35.9: no threshold is readable. */
export const getSensorThresholds: SessionCommand = {
  name: 'Get Sensor Thresholds',
  netFn: NET_FN.sensor,
  command: 0x27,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => {
    findNumberSensor(bmc.machine, request.readUInt8(0));
    return Buffer.alloc(1 + THRESHOLDS);
  },
};

/** Get Sensor Event Enable, IPMI 2.0 §35.11: the states whose assertion is logged. Deassertion is not logged. */
export const getSensorEventEnable: SessionCommand = {
  name: 'Get Sensor Event Enable',
  netFn: NET_FN.sensor,
  command: 0x29,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => {
    const sensor = findSensor(bmc.machine, request.readUInt8(0));
    const { reading } = sensor;
    const data = Buffer.alloc(5);
    data.writeUInt8(enableFlags(sensor), 0);
    data.writeUInt16LE(reading.kind === 'States' && hasEvents(sensor) ? stateMask(reading.possible) : 0, 1);
    return data;
  },
};

/** Set Sensor Hysteresis, IPMI 2.0 §35.6. */
export const setSensorHysteresis = fixed('Set Sensor Hysteresis', 0x24, [4, 4]);

/** Set Sensor Thresholds, IPMI 2.0 §35.8. */
export const setSensorThresholds = fixed('Set Sensor Thresholds', 0x26, [8, 8]);

/** Set Sensor Event Enable, IPMI 2.0 §35.10. */
export const setSensorEventEnable = fixed('Set Sensor Event Enable', 0x28, [2, 6]);

/** A command for settings that sensors here do not have or that are read-only; the sensor records agree. */
function fixed(name: string, command: number, requestLength: SessionCommand['requestLength']): SessionCommand {
  return {
    name,
    netFn: NET_FN.sensor,
    command,
    privilege: PRIVILEGE.operator,
    requestLength,
    repeatable: true,
    handle: (request, { bmc }) => {
      const { number } = findSensor(bmc.machine, request.readUInt8(0));
      throw new CompletionError(COMPLETION.notForSensor, `${name} is not supported by sensor ${number}`);
    },
  };
}
