/**
 * Why a packet was dropped without an answer.
 *
 * - `Malformed`: too short, or with wrong lengths, pads or checksums.
 * - `Unsupported`: well-formed, but of an unsupported kind.
 * - `UnknownSession`: no such session.
 * - `Unauthenticated`: not encrypted or not signed although the session requires it.
 * - `BadIntegrity`: the signature is wrong.
 * - `Replayed`: the sequence number was used before or is outside the window.
 * - `Overloaded`: the session has too many waiting requests, or the request retransmits a running one.
 */
export type PacketErrorCode =
  | 'Malformed'
  | 'Unsupported'
  | 'UnknownSession'
  | 'Unauthenticated'
  | 'BadIntegrity'
  | 'Replayed'
  | 'Overloaded';

/** A packet that is dropped without an answer; the error message names the invalid field. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
  readonly code: PacketErrorCode;

  constructor(code: PacketErrorCode, message: string) {
    const { stackTraceLimit } = Error;
    // Such packets can come from anywhere. An unused stack trace would make a dropped packet more expensive than an answered one.
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }
}

/** @throws PacketError `Malformed` if `buffer` is shorter than `length` bytes; `field` names the truncated field */
export function requireBytes(buffer: Buffer, length: number, field: string): void {
  if (buffer.length < length) {
    throw new PacketError('Malformed', `${field} needs ${length} bytes, the packet has ${buffer.length}`);
  }
}

/** A number in the notation of specifications: `0x0c`. */
export function hex(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`;
}
