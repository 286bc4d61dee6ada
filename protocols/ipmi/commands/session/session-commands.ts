import { isIPv4 } from 'node:net';
import { COMPLETION, CompletionError, NET_FN, OEM_PRIVILEGE, PRIVILEGE, privilegeOf } from '../../message/codes.ts';
import type { Session } from '../../session/session.ts';
import { LAN_CHANNEL } from '../channel/channel.ts';
import type { Bmc, SessionCommand } from '../command.ts';

const INVALID_SESSION_ID = 0x87;
const INVALID_SESSION_HANDLE = 0x88;
const BY_ID_LENGTH = 4;
const BY_HANDLE_LENGTH = 5;

/** Close Session, IPMI 2.0 §22.19: this session, or for an administrator any session. A handle follows ID 0. */
export const closeSession: SessionCommand = {
  name: 'Close Session',
  netFn: NET_FN.app,
  command: 0x3c,
  privilege: PRIVILEGE.callback,
  requestLength: [BY_ID_LENGTH, BY_HANDLE_LENGTH],
  repeatable: false,
  // A client that gives up on a slow request closes its session.
  isUrgent: true,
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

const THIS_SESSION = 0x00;
const BY_HANDLE = 0xfe;
const BY_ID = 0xff;
const SESSION_NOT_PRESENT = 0xcb;

/** Session type in bits 7:4 of the channel byte: RMCP+; 0 means IPMI 1.5. */
const RMCPPLUS_SESSION = 0x10;

/**
 * Get Session Info, IPMI 2.0 §22.20. The index selects this session (0), the n-th, one by handle or one by ID. An unused slot is
 * reported as handle 0 with the counts.
 */
export const getSessionInfo: SessionCommand = {
  name: 'Get Session Info',
  netFn: NET_FN.app,
  command: 0x3d,
  privilege: PRIVILEGE.user,
  requestLength: [1, 5],
  repeatable: true,
  handle: (request, { bmc, session }) => encodeSessionInfo(bmc, findSession(request, bmc, session)),
};

function findSession(request: Buffer, bmc: Bmc, session: Session): Session | undefined {
  const index = request.readUInt8(0);
  const keyLength = index === BY_ID ? 4 : index === BY_HANDLE ? 1 : 0;
  if (request.length !== 1 + keyLength) {
    throw new CompletionError(COMPLETION.invalidLength, `index ${index} takes ${keyLength} bytes`);
  }
  if (index === THIS_SESSION) return session;
  const { active } = bmc.sessions;
  const key = keyLength === 0 ? index : request.readUIntLE(1, keyLength);
  const found =
    keyLength === 0 ? active[index - 1] : active.find((other) => (index === BY_ID ? other.id : other.handle) === key);
  const isFreeSlot = keyLength === 0 && index <= bmc.sessions.capacity;
  if (found === undefined && !isFreeSlot) throw new CompletionError(SESSION_NOT_PRESENT, 'no such session');
  return found;
}

export function encodeSessionInfo(bmc: Bmc, session: Session | undefined): Buffer {
  const { capacity, activeCount } = bmc.sessions;
  const data = Buffer.alloc(session === undefined ? 3 : 18);
  data.writeUInt8(session?.handle ?? 0, 0);
  data.writeUInt8(capacity, 1);
  data.writeUInt8(activeCount, 2);
  if (session === undefined) return data;
  data.writeUInt8(session.account.id, 3);
  data.writeUInt8(session.privilege, 4);
  data.writeUInt8((session.isRmcpPlus ? RMCPPLUS_SESSION : 0) | LAN_CHANNEL, 5);
  data.set(ipv4Bytes(session.peer.address), 6);
  // Bytes 10 to 15, the client's MAC address, are unknown for a UDP socket.
  data.writeUInt16LE(session.peer.port, 16);
  return data;
}

/** The field holds only IPv4 addresses; others become 0.0.0.0. */
function ipv4Bytes(address: string): number[] {
  const plain = address.replace(/^::ffff:/i, '');
  return isIPv4(plain) ? plain.split('.').map(Number) : [0, 0, 0, 0];
}
