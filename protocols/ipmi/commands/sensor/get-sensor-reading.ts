import type { Sensor } from '../../../machine/index.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { findSensor } from './find-sensor.ts';
import { sensorFlags } from './sensor-flags.ts';
import { rawOf, scaleOf } from './sensor-scale.ts';
import { stateMask } from './state-mask.ts';

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
