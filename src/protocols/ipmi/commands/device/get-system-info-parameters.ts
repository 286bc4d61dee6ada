import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { SYSTEM_INFO } from './system-info.ts';
import { SYSTEM_INFO_COMPLETION } from './system-info-completion.ts';

const REVISION = 0x11;
const REVISION_ALONE = 0x80;

/** Get System Info Parameters, IPMI 2.0 §22.14b: revision alone or not, parameter, set selector, block selector. */
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
      throw new CompletionError(SYSTEM_INFO_COMPLETION.parameterNotSupported, `system info parameter ${parameter}`);
    }
    if ((request.readUInt8(0) & REVISION_ALONE) !== 0) return Buffer.of(REVISION);
    if (parameter === SYSTEM_INFO.setInProgress) return Buffer.of(REVISION, systemInfo.writer === undefined ? 0 : 1);
    const block = request.readUInt8(2);
    return Buffer.concat([Buffer.of(REVISION, block), systemInfo.read(parameter, block)]);
  },
};
