import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { findSensor } from './find-sensor.ts';

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
      throw new CompletionError(COMPLETION.notForSensor, `${name} for sensor ${number}`);
    },
  };
}
