import { CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION, PARAMETER_REVISION, REVISION_ONLY } from '../configuration-parameters.ts';
import { LAN_PARAMETERS } from './lan-parameters.ts';

/** Get LAN Configuration Parameters, IPMI 2.0 §23.2. No supported parameter uses set or block selector. */
export const getLanConfigurationParameters: SessionCommand = {
  name: 'Get LAN Configuration Parameters',
  netFn: NET_FN.transport,
  command: 0x02,
  privilege: PRIVILEGE.operator,
  requestLength: [4, 4],
  repeatable: true,
  handle: (request, { bmc }) => {
    const channel = request.readUInt8(0);
    requireLanChannel(channel);
    if ((channel & REVISION_ONLY) !== 0) return Buffer.of(PARAMETER_REVISION);
    const parameter = LAN_PARAMETERS.get(request.readUInt8(1));
    if (parameter === undefined) {
      throw new CompletionError(PARAMETER_COMPLETION.parameterNotSupported, `no LAN parameter ${request.readUInt8(1)}`);
    }
    return Buffer.concat([Buffer.of(PARAMETER_REVISION), parameter(bmc)]);
  },
};
