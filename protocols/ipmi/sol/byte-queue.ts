/** A FIFO queue of bytes. Taking bytes copies only those. */
export class ByteQueue {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The queue keeps a reference to `bytes`. */
  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  /** Puts bytes back at the front. */
  unshift(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.unshift(bytes);
    this.#length += bytes.length;
  }

  /** Removes and returns up to `count` bytes. */
  take(count: number): Buffer {
    const taken: Buffer[] = [];
    let missing = Math.min(count, this.#length);
    this.#length -= missing;
    for (let first = this.#chunks[0]; missing > 0 && first !== undefined; first = this.#chunks[0]) {
      taken.push(first.subarray(0, missing));
      if (first.length > missing) this.#chunks[0] = first.subarray(missing);
      else this.#chunks.shift();
      missing -= Math.min(missing, first.length);
    }
    return Buffer.concat(taken);
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#length = 0;
  }
}
