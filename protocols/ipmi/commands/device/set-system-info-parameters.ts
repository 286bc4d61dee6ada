import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION } from '../configuration-parameters.ts';
import { SYSTEM_INFO } from './system-info.ts';

/** Set System Info Parameters, IPMI 2.0 §22.14a: parameter, and for strings a block number and up to 16 bytes. */
export const setSystemInfoParameters: SessionCommand = {
  name: 'Set System Info Parameters',
  netFn: NET_FN.app,
  command: 0x58,
  privilege: PRIVILEGE.administrator,
  requestLength: [2, 18],
  repeatable: false,
  handle: async (request, { bmc: { systemInfo }, session }) => {
    const parameter = request.readUInt8(0);
    if (parameter === SYSTEM_INFO.setInProgress) {
      if (request.length !== 2) throw new CompletionError(COMPLETION.invalidLength, 'set in progress has 1 byte');
      systemInfo.setInProgress.write(request.readUInt8(1), session);
    } else if (!systemInfo.isString(parameter)) {
      throw new CompletionError(PARAMETER_COMPLETION.parameterNotSupported, `system info parameter ${parameter}`);
    } else {
      if (request.length < 3) throw new CompletionError(COMPLETION.invalidLength, 'a block has a byte at least');
      await systemInfo.write(parameter, request.readUInt8(1), request.subarray(2));
    }
    return Buffer.alloc(0);
  },
};
