import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { requireLanChannel } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION } from '../configuration-parameters.ts';
import { LAN_PARAMETERS } from './lan-parameters.ts';

const SET_IN_PROGRESS = 0;
const COMMIT_WRITE = 2;
const MAX_DATA = 22;

/**
 * Set LAN Configuration Parameters, IPMI 2.0 §23.1. The cluster gives the BMC its address and its owner says the rest in the
 * resource, so that all parameters are read-only. Clients say before that they are about to write (parameter 0): that is taken and
 * changes nothing, since nobody has to wait for anybody.
 */
export const setLanConfigurationParameters: SessionCommand = {
  name: 'Set LAN Configuration Parameters',
  netFn: NET_FN.transport,
  command: 0x01,
  privilege: PRIVILEGE.administrator,
  requestLength: [2, 2 + MAX_DATA],
  repeatable: true,
  handle: (request) => {
    requireLanChannel(request.readUInt8(0));
    const parameter = request.readUInt8(1);
    if (!LAN_PARAMETERS.has(parameter)) {
      throw new CompletionError(PARAMETER_COMPLETION.parameterNotSupported, `no LAN parameter ${parameter}`);
    }
    if (parameter !== SET_IN_PROGRESS)
      throw new CompletionError(PARAMETER_COMPLETION.readOnly, `LAN parameter ${parameter} is read-only`);
    if (request.length !== 3) throw new CompletionError(COMPLETION.invalidLength, 'parameter 0 has 1 byte');
    if (request.readUInt8(2) > COMMIT_WRITE) throw new CompletionError(COMPLETION.invalidField, 'no such state');
    return Buffer.alloc(0);
  },
};
