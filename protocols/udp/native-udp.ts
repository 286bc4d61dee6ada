import { type CLibrary, type FixedMemory, integersTo, withCLibrary } from '../c-library.ts';
import { addressOf, AddressTexts } from './ipv4-text.ts';

/** A datagram and its peer. */
export interface Packet {
  datagram: Buffer;
  /** IPv4. */
  address: string;
  port: number;
}

/** Most datagrams in one system call. */
const SLOTS = 16;
/** Bytes of a datagram. A longer one is cut when it is received, which no message of IPMI is, and it is not sent. */
const SLOT = 2048;

/** Sizes in bytes, and offsets in words of 32 bits, of Linux's structures on 64-bit processors: recvmmsg(2), recvmsg(2), ip(7). */
const MMSGHDR = { size: 64, length: 14 };
const IOVEC = { size: 16, length: 2 };
const SOCKADDR_IN = { size: 16, port: 2, address: 4 };

/** Where the arrays begin, in bytes: headers first, then what they point to. */
const IOVECS = SLOTS * MMSGHDR.size;
const ADDRESSES = IOVECS + SLOTS * IOVEC.size;
const DATAGRAMS = ADDRESSES + SLOTS * SOCKADDR_IN.size;
/** An integer that is 0. */
const ZERO = DATAGRAMS + SLOTS * SLOT;
const ZERO_SIZE = 4;
const SIZE = ZERO + ZERO_SIZE;

const AF_INET = 2;
const [SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC] = [2n, 0o4000n, 0o2000000n];
const [SOL_SOCKET, SO_REUSEADDR] = [1n, 2n];
const MSG_DONTWAIT = 0x40n;
const FAILED = -1;
const COUNTS = integersTo(SLOTS);
const ALL_SLOTS = BigInt(SLOTS);

const NONE: readonly Packet[] = [];

const FUNCTIONS = {
  socket: { parameters: 3 },
  bind: { parameters: 3 },
  setsockopt: { parameters: 5 },
  close: { parameters: 1 },
  recvmsg: { parameters: 3 },
  recvmmsg: { parameters: 5 },
  sendmmsg: { parameters: 4 },
} as const;

type Functions = CLibrary<typeof FUNCTIONS>['call'];

/**
 * Receives and sends several datagrams of an IPv4 socket with one system call, which `node:dgram` has no call for.
 *
 * The kernel reads and writes only memory that is mapped once and never given back. No address changes, and no length is more than
 * 2048 bytes: no packet and no garbage collection can make the kernel use other memory.
 */
export class NativeUdp {
  readonly #call: Functions;
  readonly #received: Slots;
  readonly #toSend: Slots;
  readonly #texts = new AddressTexts();

  private constructor(call: Functions, received: Slots, toSend: Slots) {
    this.#call = call;
    this.#received = received;
    this.#toSend = toSend;
  }

  /** Undefined without {@link withCLibrary} or memory. */
  static open(): NativeUdp | undefined {
    return withCLibrary(FUNCTIONS, ({ call, map }) => new NativeUdp(call, new Slots(map(SIZE)), new Slots(map(SIZE))));
  }

  /** A bound file descriptor that does not block; undefined if the system refuses. @param port 0: the system chooses */
  bind(address: string, port: number): bigint | undefined {
    this.#toSend.putPeer(0, address, port);
    const opened = this.#call.socket(BigInt(AF_INET), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0n);
    if (opened === FAILED) return undefined;
    const fd = BigInt(opened);
    if (this.#call.bind(fd, this.#toSend.addressAt(0), BigInt(SOCKADDR_IN.size)) !== FAILED) return fd;
    this.#call.close(fd);
    return undefined;
  }

  /** Keeps the port for itself. `node:dgram` lets others bind the port of a descriptor that it was given. */
  keepPort(fd: bigint): void {
    this.#call.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, this.#toSend.zero, BigInt(ZERO_SIZE));
  }

  /**
   * The datagrams that have arrived, each with memory of its own.
   *
   * @param most 16, or 1, which takes less time, above all where Node verifies arguments
   */
  receive(fd: bigint, most: 1 | 16): readonly Packet[] {
    const slots = this.#received;
    if (most === 1) {
      const length = this.#call.recvmsg(fd, slots.start, MSG_DONTWAIT);
      return length === FAILED ? NONE : [slots.packet(0, length, this.#texts)];
    }
    const count = this.#call.recvmmsg(fd, slots.start, ALL_SLOTS, MSG_DONTWAIT, 0n);
    if (count <= 0) return NONE;
    const packets: Packet[] = [];
    for (let slot = 0; slot < count; slot += 1) packets.push(slots.packet(slot, slots.lengthOf(slot), this.#texts));
    return packets;
  }

  /** Sends datagrams in order. @returns how many the system has accepted */
  send(fd: bigint, packets: readonly Packet[]): number {
    const slots = this.#toSend;
    let sent = 0;
    while (sent < packets.length) {
      let count = 0;
      for (; count < SLOTS; count += 1) {
        const packet = packets[sent + count];
        if (packet === undefined || !slots.put(count, packet)) break;
      }
      if (count === 0) return sent;
      const accepted = this.#call.sendmmsg(fd, slots.start, COUNTS[count] ?? 0n, MSG_DONTWAIT);
      if (accepted !== FAILED) sent += accepted;
      if (accepted !== count) return sent;
    }
    return sent;
  }
}

/** The arguments of recvmmsg(2) or sendmmsg(2). The first header begins with that of recvmsg(2). */
class Slots {
  /** Address of the headers. */
  readonly start: bigint;
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;

  constructor({ address: start, bytes }: FixedMemory) {
    const memory = bytes.buffer;
    this.start = start;
    this.#words = new Uint32Array(memory);
    this.#bytes = bytes;
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const header = new BigUint64Array(memory, slot * MMSGHDR.size, MMSGHDR.size / 8);
      header.set([this.addressAt(slot), BigInt(SOCKADDR_IN.size), start + BigInt(IOVECS + slot * IOVEC.size), 1n]);
      const vector = new BigUint64Array(memory, IOVECS + slot * IOVEC.size, IOVEC.size / 8);
      vector.set([start + BigInt(DATAGRAMS + slot * SLOT), BigInt(SLOT)]);
    }
  }

  /** Address of an integer that is 0. */
  get zero(): bigint {
    return this.start + BigInt(ZERO);
  }

  /** Address of a peer's address. */
  addressAt(slot: number): bigint {
    return this.start + BigInt(ADDRESSES + slot * SOCKADDR_IN.size);
  }

  /** False if it is too long. */
  put(slot: number, { datagram, address, port }: Packet): boolean {
    if (datagram.length > SLOT) return false;
    this.putPeer(slot, address, port);
    this.#bytes.set(datagram, DATAGRAMS + slot * SLOT);
    this.#words[(IOVECS + slot * IOVEC.size) / 4 + IOVEC.length] = datagram.length;
    return true;
  }

  putPeer(slot: number, address: string, port: number): void {
    const at = ADDRESSES + slot * SOCKADDR_IN.size;
    this.#bytes.writeUInt16LE(AF_INET, at);
    this.#bytes.writeUInt16BE(port, at + SOCKADDR_IN.port);
    this.#bytes.writeUInt32BE(addressOf(address), at + SOCKADDR_IN.address);
  }

  /** Bytes that recvmmsg(2) has received. */
  lengthOf(slot: number): number {
    return this.#words[(slot * MMSGHDR.size) / 4 + MMSGHDR.length] ?? 0;
  }

  /** A copy of what was received. */
  packet(slot: number, length: number, texts: AddressTexts): Packet {
    const at = ADDRESSES + slot * SOCKADDR_IN.size;
    const start = DATAGRAMS + slot * SLOT;
    const datagram = Buffer.allocUnsafe(length);
    this.#bytes.copy(datagram, 0, start, start + length);
    return {
      datagram,
      address: texts.of(this.#bytes.readUInt32BE(at + SOCKADDR_IN.address)),
      port: this.#bytes.readUInt16BE(at + SOCKADDR_IN.port),
    };
  }
}
