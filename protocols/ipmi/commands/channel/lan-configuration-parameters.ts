import { CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { requireLanChannel } from './channel.ts';
import type { SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION, PARAMETER_REVISION, parameterAt, REVISION_ONLY } from '../configuration-parameters.ts';
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
    const parameter = parameterAt(LAN_PARAMETERS, request.readUInt8(1));
    return Buffer.concat([Buffer.of(PARAMETER_REVISION), parameter(bmc)]);
  },
};

const SET_IN_PROGRESS = 0;
const MAX_DATA = 22;

/**
 * Set LAN Configuration Parameters, IPMI 2.0 §23.1. All parameters are read-only: the platform assigns the address, and the
 * owner of the BMC sets the rest. Current values are accepted, since configuration tools write back the values that they read. "Set in progress"
 * (parameter 0) keeps other sessions from starting to write.
 */
export const setLanConfigurationParameters: SessionCommand = {
  name: 'Set LAN Configuration Parameters',
  netFn: NET_FN.transport,
  command: 0x01,
  privilege: PRIVILEGE.administrator,
  requestLength: [2, 2 + MAX_DATA],
  repeatable: true,
  handle: (request, { bmc, session }) => {
    requireLanChannel(request.readUInt8(0));
    const number = request.readUInt8(1);
    const data = request.subarray(2);
    const parameter = parameterAt(LAN_PARAMETERS, number);
    if (number === SET_IN_PROGRESS) bmc.setInProgress.lan.write(data, session);
    else if (!parameter(bmc).equals(data)) {
      throw new CompletionError(PARAMETER_COMPLETION.readOnly, `LAN parameter ${number} is read-only`);
    }
  },
};
