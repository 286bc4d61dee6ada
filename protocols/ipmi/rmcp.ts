import { PacketError, requireBytes } from './packet-error.ts';

/** Message classes of RMCP, IPMI 2.0 §13.1.3. */
export const RMCP_CLASS = { asf: 0x06, ipmi: 0x07 } as const;

/** Length of the header of every datagram, IPMI 2.0 §13.1.3: version 1.0, reserved, sequence number, class. */
export const RMCP_HEADER_LENGTH = 4;

const RMCP_VERSION_1_0 = 0x06;
/** Sequence number for messages without RMCP acknowledgement; IPMI never requests one. */
const NO_ACKNOWLEDGEMENT = 0xff;
const CLASS_MASK = 0x1f;
const ACKNOWLEDGEMENT_BIT = 0x80;

/**
 * Returns the message class of the header.
 *
 * @throws PacketError `Malformed`, or `Unsupported` for another version and for acknowledgements
 */
export function decodeRmcpClass(datagram: Buffer): number {
  requireBytes(datagram, RMCP_HEADER_LENGTH, 'RMCP header');
  const version = datagram.readUInt8(0);
  const messageClass = datagram.readUInt8(3);
  if (version !== RMCP_VERSION_1_0) throw new PacketError('Unsupported', `RMCP version ${version}`);
  if ((messageClass & ACKNOWLEDGEMENT_BIT) !== 0) throw new PacketError('Unsupported', 'RMCP acknowledgement');
  return messageClass & CLASS_MASK;
}

/** Writes the header at the start of `datagram`. */
export function writeRmcpHeader(datagram: Buffer, messageClass: number): void {
  datagram[0] = RMCP_VERSION_1_0;
  datagram[1] = 0;
  datagram[2] = NO_ACKNOWLEDGEMENT;
  datagram[3] = messageClass;
}

/** Message types of ASF that IPMI uses, IPMI 2.0 §13.2.2. */
export const ASF_TYPE = { presencePong: 0x40, presencePing: 0x80 } as const;

export interface AsfMessage {
  type: number;
  /** Chosen by the sender and echoed in the answer. */
  tag: number;
}

/** IANA enterprise number of the Alerting Specifications Forum. */
const ASF_IANA = 4542;
const ASF_HEADER_LENGTH = 8;
const PONG_DATA_LENGTH = 16;
/** Supported entities of the pong: bit 7 IPMI, bits 3:0 ASF version 1.0. */
const SUPPORTS_IPMI = 0x81;

/** Reads an ASF message, RMCP header included. */
export function decodeAsf(datagram: Buffer): AsfMessage {
  requireBytes(datagram, RMCP_HEADER_LENGTH + ASF_HEADER_LENGTH, 'ASF message');
  if (datagram.readUInt32BE(RMCP_HEADER_LENGTH) !== ASF_IANA) {
    throw new PacketError('Unsupported', 'ASF message of another enterprise number');
  }
  return { type: datagram.readUInt8(8), tag: datagram.readUInt8(9) };
}

/** Presence Ping, IPMI 2.0 §13.2.3. */
export function encodePresencePing(tag: number): Buffer {
  return encodeAsf(ASF_TYPE.presencePing, tag, 0);
}

/** Presence Pong, IPMI 2.0 §13.2.4: IPMI is supported, ASF interactions are not. */
export function encodePresencePong(tag: number): Buffer {
  const datagram = encodeAsf(ASF_TYPE.presencePong, tag, PONG_DATA_LENGTH);
  datagram.writeUInt32BE(ASF_IANA, 12);
  datagram.writeUInt8(SUPPORTS_IPMI, 20);
  return datagram;
}

function encodeAsf(type: number, tag: number, dataLength: number): Buffer {
  const datagram = Buffer.alloc(RMCP_HEADER_LENGTH + ASF_HEADER_LENGTH + dataLength);
  writeRmcpHeader(datagram, RMCP_CLASS.asf);
  datagram.writeUInt32BE(ASF_IANA, 4);
  datagram.writeUInt8(type, 8);
  datagram.writeUInt8(tag, 9);
  datagram.writeUInt8(dataLength, 11);
  return datagram;
}
