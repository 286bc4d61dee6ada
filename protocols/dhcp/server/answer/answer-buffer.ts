import { MIN_MESSAGE_LENGTH } from '../../codec/header.ts';
import type { PacketView } from '../../codec/packet-view.ts';
import { encodedOptionLength, writeOption, writePiece } from '../../codec/message.ts';
import { OPTION } from '../../options/option-code.ts';
import { encodeText } from '../../options/values.ts';

/** Maximum payload of an Ethernet frame: 1,500 bytes minus the IP and UDP headers. */
const MAX_ANSWER_LENGTH = 1_472;

const NO_VALUE = new Uint8Array(0);

/** The buffer in which answers are built. One buffer serves all answers, one after the other. */
export class AnswerBuffer {
  readonly bytes = new Uint8Array(MAX_ANSWER_LENGTH);
  /** Views by length; creating a view takes longer than filling it. */
  readonly #views: (Uint8Array | undefined)[] = [];
  #length = 0;
  #limit = 0;
  #isOver = false;

  /** Whether an option did not fit. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Bytes left for further options. */
  get room(): number {
    return this.#limit - this.#length;
  }

  /** @param limit maximum bytes of the template and added options, without the last option and the end */
  start(template: Uint8Array, limit: number): void {
    this.#limit = limit;
    this.#length = Math.min(template.length, limit);
    this.#isOver = template.length > limit;
    this.bytes.set(this.#isOver ? template.subarray(0, limit) : template);
  }

  /** Adds a whole option, or nothing if it does not fit. */
  add(code: number, value: Uint8Array): void {
    const length = encodedOptionLength(value);
    if (length > this.room) this.#isOver = true;
    else this.#length = writeOption(this.bytes, code, value, this.#length);
  }

  /** Copies an option of the request, if present. */
  echo(packet: PacketView, code: number): void {
    if (!packet.has(code)) return;
    const from = packet.place(code);
    if (from === undefined) {
      this.add(code, packet.option(code) ?? NO_VALUE);
      return;
    }
    const length = packet.length(code);
    if (2 + length > this.room) this.#isOver = true;
    else this.#length = writePiece(this.bytes, code, packet.bytes, from, length, this.#length);
  }

  /** Adds a text option; ASCII is not encoded first. */
  addText(code: number, text: string): void {
    const length = text.length;
    if (length > 255 || !isAscii(text)) {
      this.add(code, encodeText(text));
    } else if (2 + length > this.room) {
      this.#isOver = true;
    } else {
      this.bytes[this.#length] = code;
      this.bytes[this.#length + 1] = length;
      for (let i = 0; i < length; i += 1) this.bytes[this.#length + 2 + i] = text.charCodeAt(i);
      this.#length += 2 + length;
    }
  }

  /** Adds the option that space was reserved for. */
  addLast(code: number, value: Uint8Array): void {
    this.#length = writeOption(this.bytes, code, value, this.#length);
  }

  /** Ends and returns the answer: at least 300 bytes, valid until the next {@link start}. */
  finish(): Uint8Array {
    this.bytes[this.#length] = OPTION.end;
    const end = this.#length + 1;
    const length = Math.max(end, MIN_MESSAGE_LENGTH);
    if (end < length) this.bytes.fill(OPTION.pad, end, length);
    return (this.#views[length] ??= this.bytes.subarray(0, length));
  }
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** The size that every client accepts, RFC 2131 §2; also the minimum of option 57 (RFC 2132 §9.10). */
const MIN_DATAGRAM = 576;
const HEADERS_OF_IP_AND_UDP = 28;

/** Maximum size of an answer to this client, in bytes. Option 57 is read as the size of the IP datagram, the safer interpretation. */
export function messageLimit(packet: PacketView): number {
  const datagram = Math.max(MIN_DATAGRAM, packet.u16(OPTION.maxMessageSize) ?? MIN_DATAGRAM);
  return Math.min(datagram - HEADERS_OF_IP_AND_UDP, MAX_ANSWER_LENGTH);
}
