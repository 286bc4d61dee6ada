import { FIELD } from './header.ts';
import { OPTION } from '../options/option-code.ts';

const FILE_IS_OPTIONS = 1;
const SNAME_IS_OPTIONS = 2;

/** Index of the options of a datagram, from one walk of at most one step per byte. A value is copied only if it is read and was split. */
export class OptionIndex {
  #bytes: Uint8Array = new Uint8Array(0);
  /** Offset of the first piece of each option's value; 0: absent. */
  readonly #starts = new Uint16Array(256);
  /** 1 for options in more than one piece. */
  readonly #pieces = new Uint8Array(256);
  #hasPieces = false;
  #overload = 0;
  #steps = 0;

  /** Options and pads that the walk visited; at most one per byte of the datagram. */
  get steps(): number {
    return this.#steps;
  }

  /** Option 52. Bit 0: `file` contains options; bit 1: `sname` does. */
  get overload(): number {
    return this.#overload;
  }

  /** @param bytes a datagram with a complete header. @returns the error in its options; undefined if they are valid */
  read(bytes: Uint8Array): string | undefined {
    this.#bytes = bytes;
    this.#starts.fill(0);
    if (this.#hasPieces) this.#pieces.fill(0);
    this.#hasPieces = false;
    this.#overload = 0;
    this.#steps = 0;
    const fault = this.#walk(FIELD.options, bytes.length, 'options');
    if (fault !== undefined || this.length(OPTION.overload) !== 1) return fault;
    const overload = bytes[this.start(OPTION.overload)] ?? 0;
    if (overload > (FILE_IS_OPTIONS | SNAME_IS_OPTIONS)) return undefined;
    this.#overload = overload;
    return this.#walkOverloaded();
  }

  has(code: number): boolean {
    return this.#starts[code] !== 0;
  }

  /** Offset of the option's value, or of its first piece. */
  start(code: number): number {
    return this.#starts[code] ?? 0;
  }

  /** Length of the option's value, or of its first piece. */
  length(code: number): number {
    const start = this.start(code);
    return start === 0 ? 0 : (this.#bytes[start - 1] ?? 0);
  }

  isInPieces(code: number): boolean {
    return this.#pieces[code] !== 0;
  }

  /** The whole value: a view of the datagram, or a copy if it was split (RFC 3396 §7). */
  value(code: number): Uint8Array | undefined {
    const start = this.start(code);
    if (start === 0) return undefined;
    if (!this.isInPieces(code)) return this.#bytes.subarray(start, start + this.length(code));
    const pieces: Uint8Array[] = [];
    this.#each((each, at, length) => {
      if (each === code) pieces.push(this.#bytes.subarray(at, at + length));
    });
    return Buffer.concat(pieces);
  }

  /** Codes of the present options, in the order of their first piece. */
  codes(): number[] {
    const codes = new Set<number>();
    this.#each((code) => codes.add(code));
    return [...codes];
  }

  #walkOverloaded(): string | undefined {
    // Order of the fields: RFC 2131 §4.1.
    if ((this.#overload & FILE_IS_OPTIONS) !== 0) {
      const fault = this.#walk(FIELD.file, FIELD.cookie, 'file');
      if (fault !== undefined) return fault;
    }
    return (this.#overload & SNAME_IS_OPTIONS) === 0 ? undefined : this.#walk(FIELD.sname, FIELD.file, 'sname');
  }

  #walk(from: number, end: number, field: string): string | undefined {
    const bytes = this.#bytes;
    let at = from;
    while (at < end) {
      this.#steps += 1;
      const code = bytes[at] ?? OPTION.end;
      at += 1;
      if (code === OPTION.pad) continue;
      if (code === OPTION.end) return undefined;
      if (at === end) return `option ${code} in ${field} is cut off before its length`;
      const length = bytes[at] ?? 0;
      at += 1;
      if (at + length > end) return `option ${code} in ${field} needs ${length} bytes, there are ${end - at}`;
      this.#found(code, at);
      at += length;
    }
    return undefined;
  }

  #found(code: number, at: number): void {
    if (this.#starts[code] === 0) {
      this.#starts[code] = at;
      return;
    }
    this.#pieces[code] = 1;
    this.#hasPieces = true;
  }

  /** Walks again over options that {@link read} has validated. */
  #each(visit: (code: number, at: number, length: number) => void): void {
    this.#eachOf(FIELD.options, this.#bytes.length, visit);
    if ((this.#overload & FILE_IS_OPTIONS) !== 0) this.#eachOf(FIELD.file, FIELD.cookie, visit);
    if ((this.#overload & SNAME_IS_OPTIONS) !== 0) this.#eachOf(FIELD.sname, FIELD.file, visit);
  }

  #eachOf(from: number, end: number, visit: (code: number, at: number, length: number) => void): void {
    const bytes = this.#bytes;
    for (let at = from; at < end;) {
      const code = bytes[at] ?? OPTION.end;
      if (code === OPTION.end) return;
      if (code === OPTION.pad) {
        at += 1;
        continue;
      }
      const length = bytes[at + 1] ?? 0;
      visit(code, at + 2, length);
      at += 2 + length;
    }
  }
}
