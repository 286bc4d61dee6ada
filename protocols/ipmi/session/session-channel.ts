/** The channel of a session: it protects sent packets, and accepts genuine packets once. */
export interface SessionChannel {
  /** Maximum payload length in bytes; undefined: no limit. */
  readonly maxPayload?: number;
  /** Encodes the datagram for `payload`. */
  seal(payloadType: number, payload: Buffer): Buffer;
  /**
   * Returns the decrypted payload of a datagram, in a buffer of its own.
   *
   * @throws PacketError to drop it; the state changes only if the packet was genuine but its content malformed
   */
  open(datagram: Buffer): Buffer;
}
