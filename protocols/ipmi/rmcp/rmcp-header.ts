import { PacketError, requireBytes } from '../packet-error.ts';

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
