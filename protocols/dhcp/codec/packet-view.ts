import type { HardwareAddress, Ipv4 } from '../lease.ts';
import { readU16, readU32, readU48 } from './bytes.ts';
import { BROADCAST_FLAG, ETHERNET_ADDRESS_LENGTH, FIELD, fieldCutAt, MAGIC_COOKIE } from './header.ts';
import { OptionIndex } from './option-index.ts';
import { OPTION } from '../options/option-code.ts';

/**
 * Reads a datagram as a DHCP message (RFC 2131 §2) without a copy. Results are valid until the datagram changes or the next one
 * is read. One view serves many datagrams, one after the other.
 *
 * @example
 * const packet = new PacketView();
 * const fault = packet.read(datagram);
 * if (fault === undefined) console.log(packet.messageType, packet.ipv4(OPTION.requestedAddress));
 */
export class PacketView {
  #bytes: Uint8Array = new Uint8Array(FIELD.options);
  readonly #options = new OptionIndex();

  /**
   * Reads a datagram and returns the error, with the name of the field; then no other member may be used. Returns undefined for
   * a valid message of an Ethernet client with options. Never throws.
   */
  read(datagram: Uint8Array): string | undefined {
    if (datagram.length < FIELD.options) {
      return `${fieldCutAt(datagram.length)} is cut off: ${datagram.length} of ${FIELD.options} bytes`;
    }
    if (readU32(datagram, FIELD.cookie) !== MAGIC_COOKIE) return 'cookie is not that of DHCP';
    const hlen = datagram[FIELD.hlen];
    if (hlen !== ETHERNET_ADDRESS_LENGTH) return `hlen is ${hlen}, an Ethernet address has ${ETHERNET_ADDRESS_LENGTH}`;
    this.#bytes = datagram;
    return this.#options.read(datagram);
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get op(): number {
    return this.#u8At(FIELD.op);
  }
  get htype(): number {
    return this.#u8At(FIELD.htype);
  }
  get hops(): number {
    return this.#u8At(FIELD.hops);
  }
  get xid(): number {
    return readU32(this.#bytes, FIELD.xid);
  }
  get secs(): number {
    return readU16(this.#bytes, FIELD.secs);
  }
  get flags(): number {
    return readU16(this.#bytes, FIELD.flags);
  }
  get ciaddr(): Ipv4 {
    return readU32(this.#bytes, FIELD.ciaddr);
  }
  get yiaddr(): Ipv4 {
    return readU32(this.#bytes, FIELD.yiaddr);
  }
  get siaddr(): Ipv4 {
    return readU32(this.#bytes, FIELD.siaddr);
  }
  get giaddr(): Ipv4 {
    return readU32(this.#bytes, FIELD.giaddr);
  }
  get macAddress(): HardwareAddress {
    return readU48(this.#bytes, FIELD.chaddr);
  }

  /** The client requests a broadcast answer. */
  get wantsBroadcast(): boolean {
    return (this.flags & BROADCAST_FLAG) !== 0;
  }

  /** Option 53; undefined for BOOTP or if it is not one byte long. */
  get messageType(): number | undefined {
    return this.u8(OPTION.messageType);
  }

  /** Options and pads visited by {@link read}: at most one per byte. */
  get steps(): number {
    return this.#options.steps;
  }

  /** The fields `sname` and `file` up to their first NUL; empty if they contain options (option 52). */
  get sname(): Uint8Array {
    return (this.#options.overload & 2) !== 0 ? this.#bytes.subarray(0, 0) : this.#text(FIELD.sname, FIELD.file);
  }
  get file(): Uint8Array {
    return (this.#options.overload & 1) !== 0 ? this.#bytes.subarray(0, 0) : this.#text(FIELD.file, FIELD.cookie);
  }

  /** Whether the option is present, even if empty. */
  has(code: number): boolean {
    return this.#options.has(code);
  }

  /** The value of an option, with its pieces joined (RFC 3396). */
  option(code: number): Uint8Array | undefined {
    return this.#options.value(code);
  }

  /** Offset in {@link bytes} of an option's value; undefined if it is absent or was split. */
  place(code: number): number | undefined {
    return this.#options.has(code) && !this.#options.isInPieces(code) ? this.#options.start(code) : undefined;
  }

  /** Length of the option's value, or of its first piece; 0 if absent. */
  length(code: number): number {
    return this.#options.length(code);
  }

  /** Codes of the options, in the order of their first piece. */
  codes(): number[] {
    return this.#options.codes();
  }

  /** Value of a one-byte option; undefined if absent or of another length. */
  u8(code: number): number | undefined {
    return this.#options.length(code) === 1 ? this.#u8At(this.#options.start(code)) : undefined;
  }

  /** Value of an option of two bytes. */
  u16(code: number): number | undefined {
    return this.#options.length(code) === 2 ? readU16(this.#bytes, this.#options.start(code)) : undefined;
  }

  /** Value of an option of four bytes, such as an address. */
  u32(code: number): number | undefined {
    return this.#options.length(code) === 4 ? readU32(this.#bytes, this.#options.start(code)) : undefined;
  }

  /** Whether an unsplit value starts with these bytes; allocates nothing. */
  startsWith(code: number, prefix: Uint8Array): boolean {
    return this.#options.length(code) >= prefix.length && this.#matches(code, prefix);
  }

  /** Whether an unsplit value equals these bytes; allocates nothing. */
  equals(code: number, value: Uint8Array): boolean {
    const isWhole = this.has(code) && !this.#options.isInPieces(code);
    return isWhole && this.#options.length(code) === value.length && this.#matches(code, value);
  }

  /** Hash of an unsplit value. */
  hash(code: number): number {
    const start = this.#options.start(code);
    const end = start + this.#options.length(code);
    let hash = 0;
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + this.#u8At(at)) | 0;
    return hash;
  }

  #matches(code: number, value: Uint8Array): boolean {
    const start = this.#options.start(code);
    for (let i = 0; i < value.length; i += 1) if (this.#bytes[start + i] !== value[i]) return false;
    return true;
  }

  #u8At(at: number): number {
    return this.#bytes[at] ?? 0;
  }

  #text(from: number, end: number): Uint8Array {
    const nul = this.#bytes.indexOf(0, from);
    return this.#bytes.subarray(from, nul === -1 || nul > end ? end : nul);
  }
}
