import { type ConsolePacket, encodeBmcPacket, MAX_SEQUENCE } from './sol-packet.ts';

/** Output timing, in ms and characters. */
export interface OutputTiming {
  accumulate: number;
  threshold: number;
  retryCount: number;
  retryInterval: number;
  /** Maximum characters of a packet. */
  packetSize: number;
}

/** Numbers of waiting bytes at which the machine's output is paused and resumed. */
const HIGH_WATER = 16 * 1024;
const LOW_WATER = 4 * 1024;
/** Maximum number of waiting bytes; beyond it the oldest are lost. */
const MOST_WAITING = 64 * 1024;

interface Flight {
  sequence: number;
  characters: Buffer;
  packet: Buffer;
  retriesLeft: number;
  /** Time of the next retransmission, ms. */
  dueAt: number;
}

/**
 * Output of the machine to the remote console: one packet at a time, until it is acknowledged or dropped. A retransmission is
 * identical, since clients detect duplicates by length.
 */
export class ShownOutput {
  readonly #timing: OutputTiming;
  readonly #waiting = new ByteQueue();
  #flight: Flight | undefined;
  #sequence = 0;
  /** Arrival of the oldest waiting byte, ms. */
  #since = 0;
  /** Earliest time to send, ms: rejected output is not resent at once. */
  #notBefore = 0;
  /** Sequence number of the packet that the console has rejected at least in part. */
  #refused = 0;
  #isHeld = false;
  #hasLost = false;
  #isPaused = false;

  constructor(timing: OutputTiming) {
    this.#timing = timing;
  }

  /** Whether the machine's output must be paused. */
  get isFull(): boolean {
    if (this.#waiting.length >= HIGH_WATER) this.#isPaused = true;
    if (this.#waiting.length <= LOW_WATER) this.#isPaused = false;
    return this.#isPaused;
  }

  /** Adds bytes without a copy. */
  push(bytes: Buffer, now: number): void {
    if (this.#waiting.length === 0) this.#since = now;
    this.#waiting.push(bytes);
    const excess = this.#waiting.length - MOST_WAITING;
    if (excess <= 0) return;
    this.#waiting.take(excess);
    this.#hasLost = true;
  }

  /** Pauses or resumes sending. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }

  /** Drops unsent output. */
  flush(): void {
    this.#waiting.clear();
  }

  /** Handles the acknowledgement in a packet of the console. */
  acknowledge({ acknowledged, accepted, nack }: ConsolePacket, now: number): void {
    if (acknowledged === 0) return;
    if (acknowledged === this.#flight?.sequence) {
      const { characters } = this.#flight;
      this.#flight = undefined;
      this.#refused = 0;
      if (accepted >= characters.length) return;
      if (this.#waiting.length === 0) this.#since = now;
      this.#waiting.unshift(characters.subarray(accepted));
      // If some characters were accepted, sending continues at once; otherwise later, or when the console is ready.
      if (nack || accepted === 0) {
        this.#refused = acknowledged;
        this.#notBefore = now + this.#timing.retryInterval;
      }
    } else if (acknowledged === this.#refused && !nack) {
      this.#refused = 0;
      this.#notBefore = now;
    }
  }

  /** The packet to send now, or undefined. Call it until it returns undefined. */
  next(now: number): Buffer | undefined {
    if (this.#flight !== undefined && now >= this.#flight.dueAt) {
      if (this.#flight.retriesLeft > 0) {
        this.#flight.retriesLeft -= 1;
        this.#flight.dueAt = now + this.#timing.retryInterval;
        return this.#flight.packet;
      }
      this.#flight = undefined;
      this.#hasLost = true;
    }
    if (this.#flight !== undefined || this.#sendableAt(now) > now) return undefined;
    return this.#send(now);
  }

  /** Time of the next packet if nothing changes, ms. */
  due(now: number): number | undefined {
    const at = this.#flight?.dueAt ?? this.#sendableAt(now);
    return at === Infinity ? undefined : at;
  }

  /** The last packet of serial over LAN; waiting output is dropped. */
  farewell(characters: Buffer): Buffer {
    this.flush();
    return encodeBmcPacket({ sequence: this.#nextSequence(), characters, deactivating: true });
  }

  #nextSequence(): number {
    this.#sequence = (this.#sequence % MAX_SEQUENCE) + 1;
    return this.#sequence;
  }

  #sendableAt(now: number): number {
    if (this.#waiting.length === 0 || this.#isHeld) return Infinity;
    const { threshold, accumulate, packetSize } = this.#timing;
    const isEnough = this.#waiting.length >= Math.min(threshold, packetSize);
    const full = isEnough ? now : this.#since + accumulate;
    return Math.max(full, this.#notBefore);
  }

  #send(now: number): Buffer {
    const { packetSize, retryCount, retryInterval } = this.#timing;
    const sequence = this.#nextSequence();
    const characters = this.#waiting.take(packetSize);
    const packet = encodeBmcPacket({ sequence, characters, overrun: this.#hasLost });
    this.#hasLost = false;
    this.#since = now;
    this.#flight = { sequence, characters, packet, retriesLeft: retryCount, dueAt: now + retryInterval };
    return packet;
  }
}

/** A FIFO queue of bytes. Taking bytes copies only those. */
class ByteQueue {
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
