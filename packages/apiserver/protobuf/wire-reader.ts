/** Reads protobuf's wire format from a Buffer. @throws RangeError if the bytes are truncated or invalid */
export class WireReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  tag(): { field: number; wireType: number } {
    const key = Number(this.varint());
    return { field: key >>> 3, wireType: key & 7 };
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#offset];
      if (byte === undefined) throw new RangeError(`a varint is cut short at byte ${this.#offset}`);
      this.#offset += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new RangeError(`a varint is too long at byte ${this.#offset}`);
  }

  bytes(): Buffer {
    const length = Number(this.varint());
    return this.#take(length);
  }

  double(): number {
    return this.#take(8).readDoubleLE(0);
  }

  float(): number {
    return this.#take(4).readFloatLE(0);
  }

  skip(wireType: number): void {
    switch (wireType) {
      case 0:
        this.varint();
        break;
      case 1:
        this.#take(8);
        break;
      case 2:
        this.bytes();
        break;
      case 5:
        this.#take(4);
        break;
      default:
        throw new RangeError(`wire type ${wireType} at byte ${this.#offset} is unknown`);
    }
  }

  #take(length: number): Buffer {
    const end = this.#offset + length;
    if (length < 0 || end > this.#bytes.length)
      throw new RangeError(`a field of ${length} bytes is cut short at byte ${this.#offset}`);
    const part = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return part;
  }
}
