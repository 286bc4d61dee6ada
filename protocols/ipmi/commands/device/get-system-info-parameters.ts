import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION, PARAMETER_REVISION, REVISION_ONLY } from '../configuration-parameters.ts';
import { SYSTEM_INFO } from './system-info.ts';

/** Get System Info Parameters, IPMI 2.0 §22.14b: revision-only flag, parameter, set selector, block selector. */
export const getSystemInfoParameters: SessionCommand = {
  name: 'Get System Info Parameters',
  netFn: NET_FN.app,
  command: 0x59,
  privilege: PRIVILEGE.user,
  requestLength: [4, 4],
  repeatable: true,
  handle: (request, { bmc: { systemInfo } }) => {
    const parameter = request.readUInt8(1);
    if (parameter !== SYSTEM_INFO.setInProgress && !systemInfo.isString(parameter)) {
      throw new CompletionError(PARAMETER_COMPLETION.parameterNotSupported, `system info parameter ${parameter}`);
    }
    if ((request.readUInt8(0) & REVISION_ONLY) !== 0) return Buffer.of(PARAMETER_REVISION);
    if (parameter === SYSTEM_INFO.setInProgress) return Buffer.of(PARAMETER_REVISION, systemInfo.setInProgress.state);
    const block = request.readUInt8(2);
    return Buffer.concat([Buffer.of(PARAMETER_REVISION, block), systemInfo.read(parameter, block)]);
  },
};
