import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';

const INVALID_SESSION_ID = 0x87;
const INVALID_SESSION_HANDLE = 0x88;
const BY_ID_LENGTH = 4;
const BY_HANDLE_LENGTH = 5;

/** Close Session, IPMI 2.0 §22.19: the own session, or for an administrator any. A handle follows ID 0. */
export const closeSession: SessionCommand = {
  name: 'Close Session',
  netFn: NET_FN.app,
  command: 0x3c,
  privilege: PRIVILEGE.callback,
  requestLength: [BY_ID_LENGTH, BY_HANDLE_LENGTH],
  repeatable: false,
  handle: (request, { bmc, session }) => {
    const id = request.readUInt32LE(0);
    const byHandle = id === 0;
    if (byHandle !== (request.length === BY_HANDLE_LENGTH)) {
      throw new CompletionError(COMPLETION.invalidLength, 'send a handle with session ID 0 only');
    }
    const target = bmc.sessions.active.find((other) =>
      byHandle ? other.handle === request.readUInt8(4) : other.id === id,
    );
    if (target === undefined) {
      throw new CompletionError(byHandle ? INVALID_SESSION_HANDLE : INVALID_SESSION_ID, 'no such session');
    }
    if (target !== session && session.privilege < PRIVILEGE.administrator) {
      throw new CompletionError(COMPLETION.insufficientPrivilege, 'only an administrator can close other sessions');
    }
    bmc.sessions.end(target, 'Closed');
  },
};
