/** A datagram that is no DHCP message; the message names the field at fault. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
  readonly code = 'Malformed';
}
