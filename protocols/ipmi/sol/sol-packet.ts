import { requireBytes } from '../packet-error.ts';

/** Header bytes before the characters, IPMI 2.0 table 15-2. */
export const SOL_HEADER_LENGTH = 4;

/** Maximum number of characters in a packet: the accepted count has one byte. */
export const MAX_CHARACTERS = 0xff;

/** Sequence numbers have 4 bits; 0 means none. */
export const MAX_SEQUENCE = 15;

/** Bit 6 of the fourth byte, in both directions: the acknowledged packet was not accepted in full. */
const NACK = 0x40;

/**
 * Operations of the remote console. Not supported: flush inbound (0x02), since input is not buffered; ring and DCD (0x20, 0x04), which
 * the machine's port does not have.
 */
const OPERATION = { break: 0x10, holdOutput: 0x08, flushOutput: 0x01 } as const;

/** Status bits of the BMC. */
const STATUS = { deactivating: 0x10, overrun: 0x08 } as const;

interface SolPacket {
  /** 1 to 15, or 0 for a packet that only acknowledges. */
  sequence: number;
  /** Sequence number of the acknowledged packet; 0: none. */
  acknowledged: number;
  /** Number of its accepted characters. */
  accepted: number;
  nack: boolean;
  characters: Buffer;
}

export interface ConsolePacket extends SolPacket {
  break: boolean;
  /** CTS: output pauses until a packet without this bit. */
  holdOutput: boolean;
  /** Drops unsent output. */
  flushOutput: boolean;
}

export interface BmcPacket extends SolPacket {
  /** Serial over LAN ends or has ended. */
  deactivating: boolean;
  /** Earlier output was lost. */
  overrun: boolean;
}

/**
 * Decodes a packet of the remote console. The characters are a view of `payload`.
 *
 * @throws PacketError `Malformed`
 */
export function decodeConsolePacket(payload: Buffer): ConsolePacket {
  const { operation, ...packet } = decode(payload);
  return {
    ...packet,
    break: (operation & OPERATION.break) !== 0,
    holdOutput: (operation & OPERATION.holdOutput) !== 0,
    flushOutput: (operation & OPERATION.flushOutput) !== 0,
  };
}

/** Encodes a payload of the BMC; missing fields are 0 or false. */
export function encodeBmcPacket(packet: Partial<BmcPacket>): Buffer {
  const status =
    (packet.deactivating === true ? STATUS.deactivating : 0) | (packet.overrun === true ? STATUS.overrun : 0);
  return encode(packet, status);
}

/** Decodes a payload of the BMC. @throws PacketError `Malformed` */
export function decodeBmcPacket(payload: Buffer): BmcPacket {
  const { operation, ...packet } = decode(payload);
  return {
    ...packet,
    deactivating: (operation & STATUS.deactivating) !== 0,
    overrun: (operation & STATUS.overrun) !== 0,
  };
}

/** Encodes a payload of the remote console. */
export function encodeConsolePacket(packet: Partial<ConsolePacket>): Buffer {
  const operation =
    (packet.break === true ? OPERATION.break : 0) |
    (packet.holdOutput === true ? OPERATION.holdOutput : 0) |
    (packet.flushOutput === true ? OPERATION.flushOutput : 0);
  return encode(packet, operation);
}

function decode(payload: Buffer): SolPacket & { operation: number } {
  requireBytes(payload, SOL_HEADER_LENGTH, 'SOL packet');
  const operation = payload.readUInt8(3);
  return {
    sequence: payload.readUInt8(0) & MAX_SEQUENCE,
    acknowledged: payload.readUInt8(1) & MAX_SEQUENCE,
    accepted: payload.readUInt8(2),
    nack: (operation & NACK) !== 0,
    characters: payload.subarray(SOL_HEADER_LENGTH),
    operation,
  };
}

function encode(packet: Partial<SolPacket>, flags: number): Buffer {
  const { sequence = 0, acknowledged = 0, accepted = 0, nack = false, characters } = packet;
  const payload = Buffer.alloc(SOL_HEADER_LENGTH + (characters?.length ?? 0));
  payload.writeUInt8(sequence, 0);
  payload.writeUInt8(acknowledged, 1);
  payload.writeUInt8(accepted, 2);
  payload.writeUInt8(flags | (nack ? NACK : 0), 3);
  characters?.copy(payload, SOL_HEADER_LENGTH);
  return payload;
}
