import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { findNumberSensor } from './find-sensor.ts';

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
