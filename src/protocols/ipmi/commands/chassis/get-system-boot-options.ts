import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import type { BootOptions } from './boot-options.ts';
import { BOOT_COMPLETION, BOOT_PARAMETER, PARAMETER_LOCKED, PARAMETER_MASK } from './boot-parameter.ts';

const PARAMETER_VERSION = 0x01;

/** Get System Boot Options, IPMI 2.0 §28.13: selector, set selector and block selector, of which the first counts. */
export const getSystemBootOptions: SessionCommand = {
  name: 'Get System Boot Options',
  netFn: NET_FN.chassis,
  command: 0x09,
  privilege: PRIVILEGE.operator,
  requestLength: [3, 3],
  repeatable: true,
  handle: (request, { bmc: { bootOptions } }) => {
    const parameter = request.readUInt8(0) & PARAMETER_MASK;
    const data = readParameter(parameter, bootOptions);
    const selector = parameter | (bootOptions.isLocked(parameter) ? PARAMETER_LOCKED : 0);
    return Buffer.concat([Buffer.of(PARAMETER_VERSION, selector), data]);
  },
};

function readParameter(parameter: number, bootOptions: BootOptions): Buffer {
  switch (parameter) {
    case BOOT_PARAMETER.setInProgress:
      return Buffer.of(bootOptions.writer === undefined ? 0 : 1);
    case BOOT_PARAMETER.validBitClearing:
      return Buffer.of(bootOptions.validBitClearing);
    case BOOT_PARAMETER.acknowledge:
      // The write mask reads as zero.
      return Buffer.of(0, bootOptions.acknowledge);
    case BOOT_PARAMETER.bootFlags:
      return bootOptions.flags();
    default:
      throw new CompletionError(BOOT_COMPLETION.parameterNotSupported, `boot option parameter ${parameter}`);
  }
}
