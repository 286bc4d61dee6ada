import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { parameterAt } from '../configuration-parameters.ts';
import { BOOT_PARAMETERS, PARAMETER_LOCKED, PARAMETER_MASK } from './boot-parameters.ts';

/** Maximum data length after the selector: a mailbox block with its number. */
const MAX_DATA = 17;

/** Set System Boot Options, IPMI 2.0 §28.12. With only a selector, it sets or clears the parameter's lock mark. */
export const setSystemBootOptions: SessionCommand = {
  name: 'Set System Boot Options',
  netFn: NET_FN.chassis,
  command: 0x08,
  privilege: PRIVILEGE.operator,
  requestLength: [1, 1 + MAX_DATA],
  repeatable: false,
  handle: async (request, context) => {
    const selector = request.readUInt8(0);
    const number = selector & PARAMETER_MASK;
    const data = request.subarray(1);
    const parameter = parameterAt(BOOT_PARAMETERS, number);
    if (data.length > 0) {
      const [min, max] = parameter.length;
      if (data.length < min || data.length > max) {
        throw new CompletionError(COMPLETION.invalidLength, `parameter ${number} has ${min} to ${max} bytes`);
      }
      await parameter.write(data, context);
    }
    context.bmc.bootOptions.setLocked(number, (selector & PARAMETER_LOCKED) !== 0);
  },
};

const PARAMETER_VERSION = 0x01;

/** Get System Boot Options, IPMI 2.0 §28.13: selector, set selector and block selector, which no parameter uses. */
export const getSystemBootOptions: SessionCommand = {
  name: 'Get System Boot Options',
  netFn: NET_FN.chassis,
  command: 0x09,
  privilege: PRIVILEGE.operator,
  requestLength: [3, 3],
  repeatable: true,
  handle: (request, context) => {
    const parameter = request.readUInt8(0) & PARAMETER_MASK;
    const data = parameterAt(BOOT_PARAMETERS, parameter).read(request.readUInt8(1), context);
    const selector = parameter | (context.bmc.bootOptions.isLocked(parameter) ? PARAMETER_LOCKED : 0);
    return Buffer.concat([Buffer.of(PARAMETER_VERSION, selector), data]);
  },
};
