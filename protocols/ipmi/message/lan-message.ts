import { PacketError, requireBytes } from '../packet-error.ts';

/** Slave address of the BMC, IPMI 2.0 §5.5. */
export const BMC_ADDRESS = 0x20;

/** An IPMI request over LAN, IPMI 2.0 §13.8. */
export interface RequestMessage {
  /** Target address; {@link BMC_ADDRESS} unless the request must be bridged. */
  responderAddress: number;
  /** Even for requests, odd for responses. */
  netFn: number;
  responderLun: number;
  requesterAddress: number;
  requesterLun: number;
  /** 6 bits; a retransmission has the same number. */
  sequence: number;
  command: number;
  data: Buffer;
}

export interface ResponseMessage {
  netFn: number;
  sequence: number;
  command: number;
  completionCode: number;
  data: Buffer;
}

/** Two addresses with network function and LUNs, sequence number, command, two checksums. */
const REQUEST_OVERHEAD = 7;
/** Also the completion code. */
const RESPONSE_OVERHEAD = 8;
const CONNECTION_CHECKSUM = 2;

/** @throws PacketError `Malformed` for short messages, wrong checksums and non-requests */
export function decodeRequest(message: Buffer): RequestMessage {
  requireBytes(message, REQUEST_OVERHEAD, 'IPMI request');
  const netFn = message.readUInt8(1) >> 2;
  if ((netFn & 1) !== 0) throw new PacketError('Malformed', `network function ${netFn} is not a request`);
  verifyChecksums(message);
  return {
    responderAddress: message.readUInt8(0),
    netFn,
    responderLun: message.readUInt8(1) & 3,
    requesterAddress: message.readUInt8(3),
    requesterLun: message.readUInt8(4) & 3,
    sequence: message.readUInt8(4) >> 2,
    command: message.readUInt8(5),
    data: message.subarray(6, -1),
  };
}

export function encodeRequest(request: RequestMessage): Buffer {
  const { responderAddress, netFn, responderLun, requesterAddress, sequence, requesterLun, command, data } = request;
  const message = Buffer.allocUnsafe(REQUEST_OVERHEAD + data.length);
  message[0] = responderAddress;
  message[1] = (netFn << 2) | responderLun;
  message[3] = requesterAddress;
  message[4] = (sequence << 2) | requesterLun;
  message[5] = command;
  message.set(data, 6);
  return withChecksums(message);
}

/** Encodes the response to `request`: addresses swapped; sequence number, LUN and command copied. */
export function encodeResponse(request: RequestMessage, completionCode: number, data: Buffer): Buffer {
  const { responderAddress, netFn, responderLun, requesterAddress, sequence, requesterLun, command } = request;
  const message = Buffer.allocUnsafe(RESPONSE_OVERHEAD + data.length);
  message[0] = requesterAddress;
  message[1] = ((netFn | 1) << 2) | requesterLun;
  message[3] = responderAddress;
  message[4] = (sequence << 2) | responderLun;
  message[5] = command;
  message[6] = completionCode;
  message.set(data, 7);
  return withChecksums(message);
}

/** @throws PacketError `Malformed` */
export function decodeResponse(message: Buffer): ResponseMessage {
  requireBytes(message, RESPONSE_OVERHEAD, 'IPMI response');
  verifyChecksums(message);
  return {
    netFn: message.readUInt8(1) >> 2,
    sequence: message.readUInt8(4) >> 2,
    command: message.readUInt8(5),
    completionCode: message.readUInt8(6),
    data: message.subarray(7, -1),
  };
}

function withChecksums(message: Buffer): Buffer {
  const last = message.length - 1;
  message[CONNECTION_CHECKSUM] = checksum(message, 0, CONNECTION_CHECKSUM);
  message[last] = checksum(message, CONNECTION_CHECKSUM + 1, last);
  return message;
}

/** The header and the rest each end with a checksum that makes the sum of their bytes 0. */
function verifyChecksums(message: Buffer): void {
  if (checksum(message, 0, 3) !== 0 || checksum(message, 3, message.length) !== 0) {
    throw new PacketError('Malformed', 'checksum of the IPMI message');
  }
}

function checksum(message: Buffer, start: number, end: number): number {
  let sum = 0;
  for (let i = start; i < end; i += 1) sum += message[i] ?? 0;
  return -sum & 0xff;
}
