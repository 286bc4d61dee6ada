import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { INSTANCE, instanceOf, requireSol } from './payload.ts';

const SUSPEND = 0;
const RESUME = 1;
const REGENERATE_VECTOR = 2;
const NOT_ALLOWED = 0x81;
const NOT_ACTIVE = 0x83;

/** Suspend/Resume Payload Encryption, IPMI 2.0 §24.3. Encryption cannot be suspended, and each packet has its own initialization vector. */
export const suspendResumePayloadEncryption: SessionCommand = {
  name: 'Suspend/Resume Payload Encryption',
  netFn: NET_FN.app,
  command: 0x55,
  privilege: PRIVILEGE.user,
  requestLength: [3, 3],
  repeatable: true,
  handle: (request, { bmc: { sol }, session }) => {
    requireSol(request.readUInt8(0));
    if (sol?.owner !== session || instanceOf(request.readUInt8(1)) !== INSTANCE) {
      throw new CompletionError(NOT_ACTIVE, 'this session has not activated it');
    }
    switch (request.readUInt8(2) & 0x1f) {
      case SUSPEND:
        throw new CompletionError(NOT_ALLOWED, 'payloads are encrypted always');
      case RESUME:
      case REGENERATE_VECTOR:
        return Buffer.alloc(0);
      default:
        throw new CompletionError(COMPLETION.invalidField, 'no such operation');
    }
  },
};
