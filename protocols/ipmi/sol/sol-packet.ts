import { requireBytes } from '../packet-error.ts';

/** Bytes in front of the characters, IPMI 2.0 table 15-2. */
export const SOL_HEADER_LENGTH = 4;

/** Most characters in a packet: their number is acknowledged in one byte. */
export const MAX_CHARACTERS = 0xff;

/** Numbers are 4 bits wide; 0 stands for none. */
export const MAX_SEQUENCE = 15;

/** Bit 6 of the fourth byte, both ways: what the acknowledged number belongs to was not taken in whole. */
const NACK = 0x40;

/**
 * What the remote console asks for. Not among it: to drop what was typed (0x02), of which nothing waits here; ring and DCD (0x20,
 * 0x04), lines that the machine's port does not have.
 */
const OPERATION = { break: 0x10, holdOutput: 0x08, flushOutput: 0x01 } as const;

/** How the BMC says that it is. */
const STATUS = { deactivating: 0x10, overrun: 0x08 } as const;

interface SolPacket {
  /** 1 to 15 of a packet that is to be acknowledged; 0 of one that only acknowledges. */
  sequence: number;
  /** Which of the other side's packets this is about; 0: none. */
  acknowledged: number;
  /** How many characters of that have been taken in. */
  accepted: number;
  nack: boolean;
  characters: Buffer;
}

export interface ConsolePacket extends SolPacket {
  break: boolean;
  /** CTS: output is to stop until a packet comes without it. */
  holdOutput: boolean;
  /** Drops output that has not been sent yet. */
  flushOutput: boolean;
}

export interface BmcPacket extends SolPacket {
  /** Serial over LAN ends, or has ended. */
  deactivating: boolean;
  /** Output was lost before this. */
  overrun: boolean;
}

/**
 * Reads what a remote console sent. The characters are a part of `payload`.
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

/** Makes a payload of the BMC's; what is left out is 0 or no. */
export function encodeBmcPacket(packet: Partial<BmcPacket>): Buffer {
  const status =
    (packet.deactivating === true ? STATUS.deactivating : 0) | (packet.overrun === true ? STATUS.overrun : 0);
  return encode(packet, status);
}

/** The other side of {@link encodeBmcPacket}. @throws PacketError `Malformed` */
export function decodeBmcPacket(payload: Buffer): BmcPacket {
  const { operation, ...packet } = decode(payload);
  return {
    ...packet,
    deactivating: (operation & STATUS.deactivating) !== 0,
    overrun: (operation & STATUS.overrun) !== 0,
  };
}

/** The other side of {@link decodeConsolePacket}. */
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
