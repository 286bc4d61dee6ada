/**
 * Why a packet was dropped. None of these is answered: the sender is unknown or cannot be trusted.
 *
 * - `Malformed`: too short, or its lengths, pads or checksums do not fit.
 * - `Unsupported`: well formed, of a kind that this BMC does not speak.
 * - `UnknownSession`: names no session that is open.
 * - `Unauthenticated`: clear or unsigned where the session asks for encryption and a signature.
 * - `BadIntegrity`: the signature is wrong.
 * - `Replayed`: the sequence number was seen before or is outside the window.
 * - `Overloaded`: the session has too many requests waiting, or the request is a retransmission of one that runs.
 */
export type PacketErrorCode =
  | 'Malformed'
  | 'Unsupported'
  | 'UnknownSession'
  | 'Unauthenticated'
  | 'BadIntegrity'
  | 'Replayed'
  | 'Overloaded';

/** A packet that is dropped without an answer; the message names the field at fault. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
  readonly code: PacketErrorCode;

  constructor(code: PacketErrorCode, message: string) {
    const { stackTraceLimit } = Error;
    // Anybody may send what is dropped. With a stack, which nobody reads, a dropped packet would take longer than an answered one.
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }
}

/** @throws PacketError `Malformed` where `buffer` ends before `length` bytes; `field` says what would be cut off */
export function requireBytes(buffer: Buffer, length: number, field: string): void {
  if (buffer.length < length) {
    throw new PacketError('Malformed', `${field} needs ${length} bytes, the packet has ${buffer.length}`);
  }
}
