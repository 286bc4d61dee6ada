import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { findSensor } from './find-sensor.ts';
import { enableFlags, hasEvents } from './sensor-flags.ts';
import { stateMask } from './state-mask.ts';

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
