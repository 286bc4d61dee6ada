import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { findNumberSensor } from './find-sensor.ts';

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
