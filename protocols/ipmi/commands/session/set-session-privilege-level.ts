import { COMPLETION, CompletionError, NET_FN, OEM_PRIVILEGE, PRIVILEGE, privilegeOf } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';

/** Returns the current level without a change. */
const NO_CHANGE = 0;
const EXCEEDS_LIMIT = 0x81;

/** Set Session Privilege Level, IPMI 2.0 §22.18: at most the level of RAKP 1. */
export const setSessionPrivilegeLevel: SessionCommand = {
  name: 'Set Session Privilege Level',
  netFn: NET_FN.app,
  command: 0x3b,
  privilege: PRIVILEGE.callback,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { session }) => {
    const requested = request.readUInt8(0) & 0x0f;
    if (requested === NO_CHANGE) return Buffer.of(session.privilege);
    if (requested === OEM_PRIVILEGE) throw new CompletionError(EXCEEDS_LIMIT, 'OEM privilege is not supported');
    const privilege = privilegeOf(requested);
    if (privilege === undefined || privilege === PRIVILEGE.callback) {
      throw new CompletionError(COMPLETION.invalidField, `privilege level ${requested} cannot be set`);
    }
    if (privilege > session.maxPrivilege) {
      throw new CompletionError(EXCEEDS_LIMIT, `the privilege limit of this session is ${session.maxPrivilege}`);
    }
    session.privilege = privilege;
    return Buffer.of(privilege);
  },
};
