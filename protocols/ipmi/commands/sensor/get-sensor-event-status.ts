import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { findSensor } from './find-sensor.ts';
import { hasEvents, sensorFlags } from './sensor-flags.ts';
import { stateMask } from './state-mask.ts';

/** Get Sensor Event Status, IPMI 2.0 §35.13: currently asserted events. */
export const getSensorEventStatus: SessionCommand = {
  name: 'Get Sensor Event Status',
  netFn: NET_FN.sensor,
  command: 0x2b,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => {
    const sensor = findSensor(bmc.machine, request.readUInt8(0));
    const { reading } = sensor;
    const data = Buffer.alloc(5);
    data.writeUInt8(sensorFlags(sensor), 0);
    data.writeUInt16LE(reading.kind === 'States' && hasEvents(sensor) ? stateMask(reading.states ?? []) : 0, 1);
    return data;
  },
};
