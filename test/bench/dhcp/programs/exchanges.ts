import type { Socket } from 'node:dgram';
import { MESSAGE_TYPE } from '../../../../protocols/dhcp/index.ts';
import { addressNumber, macNumber, MACHINES } from '../addresses.ts';
import { answerType, AT, template } from './packets.ts';

/** ms; sooner than the 4 s of real clients, which favours servers that lose datagrams. */
const RETRANSMISSION = 1_000;
const SCAN = 20;
/** Number of bits of the transaction ID that hold the slot. */
const SLOT_BITS = 12;
const SLOT_MASK = (1 << SLOT_BITS) - 1;

export interface ExchangesResult {
  /** Number of complete exchanges, from DISCOVER to ACK. */
  count: number;
  /** Duration of each in ms. */
  times: Float64Array;
  /** Number of datagrams that were sent again after {@link RETRANSMISSION} without an answer. */
  retransmissions: number;
  /** Number of exchanges with a NAK or another address than that of the lease. */
  wrong: number;
  /** ms from the first datagram to the last. */
  elapsed: number;
}

/** One client; each exchange is of another one. */
interface Slot {
  readonly index: number;
  readonly discover: Buffer;
  readonly request: Buffer;
  machine: number;
  xid: number;
  /** The expected answer: OFFER or ACK; 0: none. */
  awaits: number;
  began: number;
  sent: number;
}

/**
 * A closed loop: each slot begins a new exchange when one ends, until `duration` ms have passed or `most` exchanges are
 * done.
 */
export class Exchanges {
  readonly #socket: Socket;
  readonly #slots: Slot[];
  readonly #most: number;
  readonly #deadline: number;
  readonly #first: number;
  readonly #times: Float64Array;
  readonly #end = Promise.withResolvers<undefined>();
  #begun = 0;
  #count = 0;
  #running = 0;
  #retransmissions = 0;
  #wrong = 0;
  #sequence = Math.floor(Math.random() * 1000);

  /** @param socket connected to the server */
  constructor(
    socket: Socket,
    { inFlight, most, duration, first = 0 }: { inFlight: number; most: number; duration: number; first?: number },
  ) {
    this.#socket = socket;
    this.#most = most;
    this.#first = first;
    this.#deadline = performance.now() + duration;
    this.#times = new Float64Array(Math.min(most, 1_000_000));
    const [discover, request] = [template('discover'), template('request')];
    this.#slots = Array.from({ length: inFlight }, (_, index) => ({
      index,
      discover: Buffer.from(discover),
      request: Buffer.from(request),
      machine: 0,
      xid: 0,
      awaits: 0,
      began: 0,
      sent: 0,
    }));
  }

  async run(): Promise<ExchangesResult> {
    const listener = (datagram: Buffer): void => {
      this.#take(datagram);
    };
    this.#socket.on('message', listener);
    const timer = setInterval(() => {
      this.#scan();
    }, SCAN);
    const started = performance.now();
    for (const slot of this.#slots) this.#begin(slot);
    await this.#end.promise;
    const elapsed = performance.now() - started;
    clearInterval(timer);
    this.#socket.off('message', listener);
    return {
      count: this.#count,
      times: this.#times.subarray(0, this.#count),
      retransmissions: this.#retransmissions,
      wrong: this.#wrong,
      elapsed,
    };
  }

  #begin(slot: Slot): void {
    const now = performance.now();
    if (this.#begun >= this.#most || now >= this.#deadline) {
      slot.awaits = 0;
      if (this.#running === 0) this.#end.resolve(undefined);
      return;
    }
    slot.machine = (this.#first + this.#begun) % MACHINES;
    this.#begun += 1;
    this.#running += 1;
    this.#sequence = (this.#sequence + 1) & 0xfffff;
    slot.xid = ((this.#sequence << SLOT_BITS) | slot.index) >>> 0;
    slot.awaits = MESSAGE_TYPE.offer;
    slot.began = now;
    for (const datagram of [slot.discover, slot.request]) {
      datagram.writeUInt32BE(slot.xid, AT.xid);
      datagram.writeUIntBE(macNumber(slot.machine), AT.chaddr, 6);
    }
    this.#send(slot, now);
  }

  #send(slot: Slot, now: number): void {
    slot.sent = now;
    this.#socket.send(slot.awaits === MESSAGE_TYPE.offer ? slot.discover : slot.request);
  }

  #take(datagram: Buffer): void {
    const xid = datagram.readUInt32BE(AT.xid);
    const slot = this.#slots[xid & SLOT_MASK];
    if (slot?.xid !== xid || slot.awaits === 0) return;
    const type = answerType(datagram);
    if (type === MESSAGE_TYPE.nak) {
      this.#wrong += 1;
      this.#finish(slot);
    } else if (type === slot.awaits) this.#answered(slot, datagram);
  }

  #answered(slot: Slot, datagram: Buffer): void {
    const now = performance.now();
    const address = datagram.readUInt32BE(AT.yiaddr);
    if (slot.awaits === MESSAGE_TYPE.offer) {
      slot.awaits = MESSAGE_TYPE.ack;
      slot.request.writeUInt32BE(address, AT.requestedAddress);
      this.#send(slot, now);
      return;
    }
    if (address !== addressNumber(slot.machine)) this.#wrong += 1;
    if (this.#count < this.#times.length) this.#times[this.#count] = now - slot.began;
    this.#count += 1;
    this.#finish(slot);
  }

  #finish(slot: Slot): void {
    this.#running -= 1;
    this.#begin(slot);
  }

  #scan(): void {
    const now = performance.now();
    for (const slot of this.#slots) {
      if (slot.awaits === 0 || now - slot.sent < RETRANSMISSION) continue;
      if (now >= this.#deadline) {
        // No answer until the end.
        slot.awaits = 0;
        this.#running -= 1;
        continue;
      }
      this.#retransmissions += 1;
      this.#send(slot, now);
    }
    if (this.#running === 0) this.#end.resolve(undefined);
  }
}
