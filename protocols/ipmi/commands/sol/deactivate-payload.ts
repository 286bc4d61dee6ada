import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { INSTANCE, instanceOf, PAYLOAD_COMPLETION, requireSol } from './payload.ts';

/**
 * Deactivate Payload, IPMI 2.0 §24.2. Operators may end another session's payload, with a notice to its client. ipmitool, bmclib and
 * Ironic rely on 0x80 if it is not active.
 */
export const deactivatePayload: SessionCommand = {
  name: 'Deactivate Payload',
  netFn: NET_FN.app,
  command: 0x49,
  privilege: PRIVILEGE.user,
  requestLength: [6, 6],
  repeatable: false,
  handle: (request, { bmc: { sol }, session }) => {
    requireSol(request.readUInt8(0));
    if (sol?.owner === undefined || instanceOf(request.readUInt8(1)) !== INSTANCE) {
      throw new CompletionError(PAYLOAD_COMPLETION.inactive, 'nobody has it');
    }
    if (sol.owner !== session && session.privilege < PRIVILEGE.operator) {
      throw new CompletionError(COMPLETION.insufficientPrivilege, 'it is the payload of somebody else');
    }
    sol.deactivate(session);
    return Buffer.alloc(0);
  },
};
