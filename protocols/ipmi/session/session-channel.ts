/** The way between the two sides of a session: it protects what goes out, and lets in what is genuine and not seen before. */
export interface SessionChannel {
  /** Bytes of the longest payload that it carries; undefined: it carries any. */
  readonly maxPayload?: number;
  /** Makes the datagram that carries `payload` to the other side. */
  seal(payloadType: number, payload: Buffer): Buffer;
  /**
   * Gives the clear payload of a datagram, in a buffer of its own.
   *
   * @throws PacketError for one that is to be dropped; nothing has changed then, unless it was genuine and malformed within
   */
  open(datagram: Buffer): Buffer;
}
