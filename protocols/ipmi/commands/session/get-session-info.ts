import { isIPv4 } from 'node:net';
import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { Session } from '../../session/session.ts';
import type { Bmc, SessionCommand } from '../command.ts';
import { LAN_CHANNEL } from '../channel/channel.ts';

const THIS_SESSION = 0x00;
const BY_HANDLE = 0xfe;
const BY_ID = 0xff;
const SESSION_NOT_PRESENT = 0xcb;

/** Session type in bits 7:4 of the channel byte: RMCP+; 0 means IPMI 1.5. */
const RMCPPLUS_SESSION = 0x10;
const COUNT_MASK = 0x3f;

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
  data.writeUInt8(Math.min(capacity, COUNT_MASK), 1);
  data.writeUInt8(Math.min(activeCount, COUNT_MASK), 2);
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
