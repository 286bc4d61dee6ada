/** A datagram that is not a valid DHCP message; the error message names the invalid field. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
  readonly code = 'Malformed';
}
