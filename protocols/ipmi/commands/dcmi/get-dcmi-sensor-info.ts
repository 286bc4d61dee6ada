import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { dcmiCommand } from './dcmi-command.ts';

const TEMPERATURE = 0x01;

/** Get DCMI Sensor Info, DCMI 1.5 §6.5.2: only for temperature sensors, which a VM does not have. */
export const getDcmiSensorInfo = dcmiCommand({
  name: 'Get DCMI Sensor Info',
  command: 0x07,
  privilege: PRIVILEGE.operator,
  requestLength: [4, 4],
  repeatable: true,
  handle: (request) => {
    const type = request.readUInt8(0);
    if (type !== TEMPERATURE) throw new CompletionError(COMPLETION.invalidField, `sensor type ${type}`);
    return Buffer.of(0, 0);
  },
});
