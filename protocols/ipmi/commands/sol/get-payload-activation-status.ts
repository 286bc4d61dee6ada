import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { INSTANCE, requireSol } from './payload.ts';

/** Get Payload Activation Status, IPMI 2.0 §24.4: number of instances, and one bit per active instance. */
export const getPayloadActivationStatus: SessionCommand = {
  name: 'Get Payload Activation Status',
  netFn: NET_FN.app,
  command: 0x4a,
  privilege: PRIVILEGE.user,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc: { sol } }) => {
    requireSol(request.readUInt8(0));
    return Buffer.of(INSTANCE, sol?.owner === undefined ? 0 : 1, 0);
  },
};
