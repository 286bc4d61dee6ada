import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { findSensor } from './find-sensor.ts';
import { EVENT_TYPE, SENSOR_TYPE } from './sensor-type.ts';

/** Get Sensor Type, IPMI 2.0 §35.16: sensor type, event/reading type. */
export const getSensorType: SessionCommand = {
  name: 'Get Sensor Type',
  netFn: NET_FN.sensor,
  command: 0x2f,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => {
    const { reading } = findSensor(bmc.machine, request.readUInt8(0));
    return reading.kind === 'Number'
      ? Buffer.of(SENSOR_TYPE.otherUnits, EVENT_TYPE.threshold)
      : Buffer.of(reading.type, EVENT_TYPE.sensorSpecific);
  },
};
