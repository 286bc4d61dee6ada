import type { Sensor } from '../../../machine/index.ts';
import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { rawOf, scaleOf } from './sensor-scale.ts';
import { EVENT_TYPE, SENSOR_TYPE } from './event-sensors.ts';
import { findSensor, hasEvents, sensorFlags, stateMask } from './sensor.ts';

/** Reserved bits that must be set: above six threshold comparisons, and above 15 states. */
const NO_THRESHOLDS = 0xc0;
const RESERVED_STATE = 0x8000;

/** Get Sensor Reading, IPMI 2.0 §35.14. A flag marks a missing reading; then the other bytes are meaningless. */
export const getSensorReading: SessionCommand = {
  name: 'Get Sensor Reading',
  netFn: NET_FN.sensor,
  command: 0x2d,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => encodeReading(findSensor(bmc.machine, request.readUInt8(0))),
};

function encodeReading(sensor: Sensor): Buffer {
  const { reading } = sensor;
  const flags = sensorFlags(sensor);
  if (reading.kind === 'Number') {
    const raw = reading.value === undefined ? 0 : rawOf(reading.value, scaleOf(reading));
    return Buffer.of(raw, flags, NO_THRESHOLDS);
  }
  const states = stateMask(reading.states ?? []) | RESERVED_STATE;
  return Buffer.of(0, flags, states & 0xff, states >> 8);
}

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
