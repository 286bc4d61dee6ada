/** The longest answer: what a frame of Ethernet holds. */
const SLOT = 1500;
const SLOTS = 256;

/**
 * Memory for datagrams on their way. The system takes most of them at once; one that it does not take is read again
 * when it has room, and by then the server has long written the next answer over its own buffer. Slots are used in
 * turn, so that one is used again only when all that were sent before the last {@link SLOTS} are gone.
 */
export class SendBuffers {
  /** Of a socket that never sends there is none. */
  #memory: Buffer | undefined;
  #next = 0;

  /** @param queued how many datagrams wait; undefined is given where there is no room for one more */
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
