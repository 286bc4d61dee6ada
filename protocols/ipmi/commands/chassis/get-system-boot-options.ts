import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { PARAMETER_LOCKED, PARAMETER_MASK } from './boot-parameter.ts';
import { bootParameter } from './boot-parameters.ts';

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
    const data = bootParameter(parameter).read(request.readUInt8(1), context);
    const selector = parameter | (context.bmc.bootOptions.isLocked(parameter) ? PARAMETER_LOCKED : 0);
    return Buffer.concat([Buffer.of(PARAMETER_VERSION, selector), data]);
  },
};
