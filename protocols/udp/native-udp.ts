import type * as Ffi from 'node:ffi';
import { withCLibrary } from '../c-library.ts';
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
const [SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC] = [2, 0o4000, 0o2000000];
const [SOL_SOCKET, SO_REUSEADDR] = [1, 2];
const MSG_DONTWAIT = 0x40;
const [PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS] = [3, 0x22];
const FAILED = -1;

const NONE: readonly Packet[] = [];

const FUNCTIONS = {
  mmap: { arguments: ['u64', 'u64', 'i32', 'i32', 'i32', 'i64'], return: 'i64' },
  socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  bind: { arguments: ['i32', 'u64', 'u32'], return: 'i32' },
  setsockopt: { arguments: ['i32', 'i32', 'i32', 'u64', 'u32'], return: 'i32' },
  close: { arguments: ['i32'], return: 'i32' },
  recvmsg: { arguments: ['i32', 'u64', 'i32'], return: 'i32' },
  recvmmsg: { arguments: ['i32', 'u64', 'u32', 'i32', 'u64'], return: 'i32' },
  sendmmsg: { arguments: ['i32', 'u64', 'u32', 'i32'], return: 'i32' },
} as const;

type Functions = Ffi.WrappedFunctionsFromDefinitions<typeof FUNCTIONS>;

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

  /** Undefined without {@link withCLibrary}, on a processor of another kind, or without memory. */
  static open(): NativeUdp | undefined {
    if (!['x64', 'arm64'].includes(process.arch)) return undefined;
    return withCLibrary(FUNCTIONS, (call, ffi) => {
      const slots = (): Slots => {
        const start = call.mmap(0n, BigInt(SIZE), PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
        if (start === BigInt(FAILED)) throw new Error('no memory');
        return new Slots(start, ffi.toArrayBuffer(start, SIZE, false));
      };
      return new NativeUdp(call, slots(), slots());
    });
  }

  /** A bound file descriptor that does not block; undefined if the system refuses. @param port 0: the system chooses */
  bind(address: string, port: number): number | undefined {
    this.#toSend.putPeer(0, address, port);
    const fd = this.#call.socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd === FAILED) return undefined;
    if (this.#call.bind(fd, this.#toSend.addressAt(0), SOCKADDR_IN.size) !== FAILED) return fd;
    this.#call.close(fd);
    return undefined;
  }

  /** Keeps the port for itself. `node:dgram` lets others bind the port of a descriptor that it was given. */
  keepPort(fd: number): void {
    this.#call.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, this.#toSend.zero, ZERO_SIZE);
  }

  /**
   * The datagrams that have arrived, each with memory of its own.
   *
   * @param most 16, or 1, which takes less time: a call of C with more than three arguments takes 0.3 µs more
   */
  receive(fd: number, most: 1 | 16): readonly Packet[] {
    const slots = this.#received;
    if (most === 1) {
      const length = this.#call.recvmsg(fd, slots.start, MSG_DONTWAIT);
      return length === FAILED ? NONE : [slots.packet(0, length, this.#texts)];
    }
    const count = this.#call.recvmmsg(fd, slots.start, SLOTS, MSG_DONTWAIT, 0n);
    if (count <= 0) return NONE;
    const packets: Packet[] = [];
    for (let slot = 0; slot < count; slot += 1) packets.push(slots.packet(slot, slots.lengthOf(slot), this.#texts));
    return packets;
  }

  /** Sends datagrams in order. @returns how many the system has accepted */
  send(fd: number, packets: readonly Packet[]): number {
    const slots = this.#toSend;
    let sent = 0;
    while (sent < packets.length) {
      let count = 0;
      for (; count < SLOTS; count += 1) {
        const packet = packets[sent + count];
        if (packet === undefined || !slots.put(count, packet)) break;
      }
      if (count === 0) return sent;
      const accepted = this.#call.sendmmsg(fd, slots.start, count, MSG_DONTWAIT);
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

  /** @param start address of `memory`, which is filled with zeros */
  constructor(start: bigint, memory: ArrayBuffer) {
    this.start = start;
    this.#words = new Uint32Array(memory);
    this.#bytes = Buffer.from(memory);
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
    datagram.copy(this.#bytes, DATAGRAMS + slot * SLOT);
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
