/** Maximum length of an answer: an Ethernet frame. */
const SLOT = 1500;
const SLOTS = 256;

/**
 * Buffers for datagrams that are being sent. The system accepts most datagrams at once. A datagram that it does not accept is read
 * again later, when the server has already overwritten its own buffer. Slots are used in turn: a slot is reused only when all datagrams
 * before the last {@link SLOTS} are sent.
 */
export class SendBuffers {
  /** Allocated with the first datagram. */
  #memory: Buffer | undefined;
  #next = 0;

  /** @param queued number of waiting datagrams. @returns undefined if there is no free slot */
  copy(datagram: Uint8Array, queued: number): Uint8Array | undefined {
    if (queued >= SLOTS) return undefined;
    if (datagram.length > SLOT) return Uint8Array.from(datagram);
    this.#memory ??= Buffer.allocUnsafeSlow(SLOT * SLOTS);
    const start = this.#next * SLOT;
    this.#next = (this.#next + 1) % SLOTS;
    this.#memory.set(datagram, start);
    return this.#memory.subarray(start, start + datagram.length);
  }
}
