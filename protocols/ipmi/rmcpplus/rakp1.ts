import { requireBytes } from '../packet-error.ts';
import { type ManagedSessionId, managedSessionId } from './session-id.ts';

/** RAKP Message 1, IPMI 2.0 §13.20: the user name and the client's random number. */
export interface Rakp1 {
  tag: number;
  managedId: ManagedSessionId;
  /** 16 bytes. */
  consoleRandom: Buffer;
  /** Bits 3:0: requested privilege level, bit 4: name-only lookup; kept unchanged for the HMACs. */
  role: number;
  /** Length in the message; a name over 16 bytes is not read. */
  nameLength: number;
  username: Buffer;
}

/** Maximum length of a user name in RAKP, in bytes. */
export const MAX_USERNAME_BYTES = 16;

const NAME_OFFSET = 28;

/**
 * @throws PacketError `Malformed`. A name length over 16 is not malformed: it is answered with a status and never used to read
 * (another BMC's daemon crashes on a length ≥ 228)
 */
export function decodeRakp1(payload: Buffer): Rakp1 {
  requireBytes(payload, NAME_OFFSET, 'RAKP Message 1');
  const nameLength = payload.readUInt8(27);
  const readable = nameLength > MAX_USERNAME_BYTES ? 0 : nameLength;
  requireBytes(payload, NAME_OFFSET + readable, 'user name of RAKP Message 1');
  return {
    tag: payload.readUInt8(0),
    managedId: managedSessionId(payload.readUInt32LE(4)),
    consoleRandom: payload.subarray(8, 24),
    role: payload.readUInt8(24),
    nameLength,
    username: payload.subarray(NAME_OFFSET, NAME_OFFSET + readable),
  };
}

export function encodeRakp1(message: Omit<Rakp1, 'nameLength'>): Buffer {
  const payload = Buffer.alloc(NAME_OFFSET + message.username.length);
  payload.writeUInt8(message.tag, 0);
  payload.writeUInt32LE(message.managedId, 4);
  message.consoleRandom.copy(payload, 8);
  payload.writeUInt8(message.role, 24);
  payload.writeUInt8(message.username.length, 27);
  message.username.copy(payload, NAME_OFFSET);
  return payload;
}
