import { ByteQueue } from './byte-queue.ts';
import { type ConsolePacket, encodeBmcPacket, MAX_SEQUENCE } from './sol-packet.ts';

/** How output is sent, in ms and characters. */
export interface OutputTiming {
  accumulate: number;
  threshold: number;
  retryCount: number;
  retryInterval: number;
  /** Most characters of a packet. */
  packetSize: number;
}

/** Bytes that may wait before the machine is asked to hold its output back, and how few there are to be when it may go on. */
const HIGH_WATER = 16 * 1024;
const LOW_WATER = 4 * 1024;
/** Bytes that wait at most; beyond them the oldest are lost. */
const MOST_WAITING = 64 * 1024;

interface Flight {
  sequence: number;
  characters: Buffer;
  packet: Buffer;
  retriesLeft: number;
  /** When it is sent again, ms. */
  dueAt: number;
}

/**
 * What the machine writes, on its way to the remote console: one packet at a time is under way, until it is acknowledged or given
 * up. A packet that is sent again is the same to the byte, since clients tell what they have by its length.
 */
export class ShownOutput {
  readonly #timing: OutputTiming;
  readonly #waiting = new ByteQueue();
  #flight: Flight | undefined;
  #sequence = 0;
  /** When the oldest of what waits came, ms. */
  #since = 0;
  /** Nothing is sent before; what was refused is not offered again at once, ms. */
  #notBefore = 0;
  /** Number of the packet that the console has refused, at least in part. */
  #refused = 0;
  #isHeld = false;
  #hasLost = false;
  #isPaused = false;

  constructor(timing: OutputTiming) {
    this.#timing = timing;
  }

  /** Whether the machine is to hold its output back. */
  get isFull(): boolean {
    if (this.#waiting.length >= HIGH_WATER) this.#isPaused = true;
    if (this.#waiting.length <= LOW_WATER) this.#isPaused = false;
    return this.#isPaused;
  }

  /** Adds bytes, which are kept. */
  push(bytes: Buffer, now: number): void {
    if (this.#waiting.length === 0) this.#since = now;
    this.#waiting.push(bytes);
    const excess = this.#waiting.length - MOST_WAITING;
    if (excess <= 0) return;
    this.#waiting.take(excess);
    this.#hasLost = true;
  }

  /** Sends nothing more until it is let go. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }

  /** Forgets what has not been sent yet. */
  flush(): void {
    this.#waiting.clear();
  }

  /** Takes what a packet of the console's says about one of ours. */
  acknowledge({ acknowledged, accepted, nack }: ConsolePacket, now: number): void {
    if (acknowledged === 0) return;
    if (acknowledged === this.#flight?.sequence) {
      const { characters } = this.#flight;
      this.#flight = undefined;
      this.#refused = 0;
      if (accepted >= characters.length) return;
      if (this.#waiting.length === 0) this.#since = now;
      this.#waiting.unshift(characters.subarray(accepted));
      // One that has taken something in goes on at once; the others are asked again later, or when they say so.
      if (nack || accepted === 0) {
        this.#refused = acknowledged;
        this.#notBefore = now + this.#timing.retryInterval;
      }
    } else if (acknowledged === this.#refused && !nack) {
      this.#refused = 0;
      this.#notBefore = now;
    }
  }

  /** The packet to send now; undefined: none yet. Ask again after each, until there is none. */
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

  /** When {@link next} has something if nothing happens before, ms; undefined: never. */
  due(now: number): number | undefined {
    const at = this.#flight?.dueAt ?? this.#sendableAt(now);
    return at === Infinity ? undefined : at;
  }

  /** The packet that serial over LAN ends with; what waited is dropped. */
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
