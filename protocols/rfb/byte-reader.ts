/**
 * The next part of a stream.
 * - `take`: exactly `size` bytes; they are collected, so `size` is bounded by the parser.
 * - `copy`: the same, and they are forwarded when the parser asks for the next part, so not if it throws.
 * - `pass`: `size` bytes are forwarded as they come, and not collected.
 */
export interface Part {
  kind: 'take' | 'copy' | 'pass';
  size: number;
}

/** Asks for one part after the other; gets the bytes of a `take` or `copy`. */
export type Parser = Generator<Part, void, Buffer>;

export const take = (size: number): Part => ({ kind: 'take', size });
export const copy = (size: number): Part => ({ kind: 'copy', size });
export const pass = (size: number): Part => ({ kind: 'pass', size });

const NOTHING = Buffer.alloc(0);

/**
 * Runs a parser over a stream that comes in arbitrary pieces. Adjacent forwarded bytes of a piece are forwarded at once: before the
 * bytes of the next `take`, also of none, are returned, and at the end of the piece.
 */
export class ByteReader {
  readonly #parser: Parser;
  readonly #forward: (data: Buffer) => void;
  /** Undefined: the parser has ended; the rest is ignored. */
  #part: Part | undefined;
  /** Bytes of the part that have come. */
  #count = 0;
  /** Those bytes, while the part is incomplete. */
  #collected: Buffer | undefined;

  constructor(parser: Parser, forward: (data: Buffer) => void) {
    this.#parser = parser;
    this.#forward = forward;
    this.#next(NOTHING);
  }

  /** @throws what the parser throws; the reader then ignores further bytes */
  push(data: Buffer): void {
    let at = 0;
    // Bytes of `data` to forward.
    let [start, end] = [0, 0];
    const forward = (): void => {
      if (start < end) this.#forward(data.subarray(start, end));
      start = at;
      end = at;
    };
    while (this.#part !== undefined) {
      const { kind, size } = this.#part;
      if (kind === 'take') forward();
      const piece = data.subarray(at, at + size - this.#count);
      at += piece.length;
      if (kind === 'take') start = at;
      if (kind !== 'copy') end = at;
      if (!this.#isComplete(piece)) break;
      const collected = this.#collected;
      this.#collected = undefined;
      this.#next(kind === 'pass' ? NOTHING : (collected ?? piece));
      if (kind !== 'copy') continue;
      if (collected === undefined) {
        end = at;
      } else {
        // Its first bytes came with earlier data, so nothing of this data is before it.
        this.#forward(collected);
        start = at;
        end = at;
      }
    }
    forward();
  }

  #isComplete(piece: Buffer): boolean {
    const { kind, size } = this.#part as Part;
    if (kind !== 'pass' && (this.#collected !== undefined || piece.length < size)) {
      // One buffer, however small the pieces are.
      this.#collected ??= Buffer.allocUnsafe(size);
      piece.copy(this.#collected, this.#count);
    }
    this.#count += piece.length;
    return this.#count === size;
  }

  #next(bytes: Buffer): void {
    this.#part = undefined;
    this.#count = 0;
    const next = this.#parser.next(bytes);
    if (next.done !== true) this.#part = next.value;
  }
}
