import { BOOT_REPLY } from '../codec/header.ts';
import { decodeMessage, optionOf, type DhcpMessage } from '../codec/message.ts';
import { MESSAGE_TYPE } from '../codec/message-type.ts';
import { PacketError } from '../codec/packet-error.ts';
import type { Ipv4 } from '../lease.ts';
import { decodeU32, decodeU8 } from '../options/numbers.ts';
import { OPTION } from '../options/option-code.ts';
import type { ClientIdentity } from './client-identity.ts';
import { leaseOf, type ClientLease } from './client-lease.ts';
import { encodeClientMessage, type ClientMessage } from './client-message.ts';
import { nextRenewal, retransmissionDelay } from './retransmission.ts';

/**
 * RFC 2131 §4.4, figure 5. `Rebooting`: it asks for the address that it had. `Init`: it has none, and waits before it
 * asks if {@link DhcpClient.due} is set. `Informing`, `Informed`: it has its address by other means (§4.4.3).
 */
export type ClientState =
  | 'Init'
  | 'Selecting'
  | 'Requesting'
  | 'Rebooting'
  | 'Bound'
  | 'Renewing'
  | 'Rebinding'
  | 'Informing'
  | 'Informed';

export interface DhcpClientOptions {
  identity: ClientIdentity;
  /** At least 0, less than 1: for transaction ids and the spread of retransmissions. */
  random: () => number;
}

/** A datagram and where it goes: to everybody on the network, or to one server. */
export interface Transmission {
  readonly datagram: Uint8Array;
  readonly to: 'everybody' | Ipv4;
}

/** What follows from an event. */
export interface Step {
  /** To be sent now. */
  readonly send?: Transmission;
  /** The message that was taken; absent for what was for somebody else, late, or no DHCP. */
  readonly heard?: DhcpMessage;
}

/** A minute in all, §3.1. */
const MOST_REQUESTS = 4;
/** Then it asks as one that had no address. */
const MOST_REBOOT_REQUESTS = 2;
/** ms; §3.1. */
const AFTER_DECLINE = 10_000;
const NOTHING: Step = {};

/**
 * A DHCP client as a state machine: events and the time in, datagrams out; it has no socket, clock or timer of its own.
 * Times are ms of one clock that never goes back. When {@link due} is reached, {@link tick} it.
 *
 * @example
 * const client = new DhcpClient({ identity: { macAddress: 0x525400123456 }, random: Math.random });
 * transmit(client.start(now()).send);
 * socket.on('message', (datagram) => transmit(client.receive(datagram, now()).send));
 */
export class DhcpClient {
  readonly #identity: ClientIdentity;
  readonly #random: () => number;
  #state: ClientState = 'Init';
  #lease: ClientLease | undefined;
  #due: number | undefined;
  /** Of the exchange under way: its id, when it began, the message and how often it was sent, when first. */
  #xid = 0;
  #since = 0;
  #said: { message: Omit<ClientMessage, 'xid' | 'secs'>; to: Transmission['to'] } | undefined;
  #attempts = 0;
  #askedAt = 0;
  #refusals = 0;

  constructor({ identity, random }: DhcpClientOptions) {
    this.#identity = identity;
    this.#random = random;
  }

  get state(): ClientState {
    return this.#state;
  }

  /** The address it has and all that it was told; undefined until `Bound`, and when the address is lost. */
  get lease(): ClientLease | undefined {
    return this.#lease;
  }

  /** When it has something to do by itself; undefined: not at all. */
  get due(): number | undefined {
    return this.#due;
  }

  /** Asks for an address; with `address`, for the one that it had before it was switched off (INIT-REBOOT, §4.4.2). */
  start(now: number, { address }: { address?: Ipv4 } = {}): Step {
    this.#lease = undefined;
    this.#begin(now);
    if (address === undefined) return this.#discover(now);
    this.#state = 'Rebooting';
    return this.#say({ type: 'request', requestedAddress: address }, 'everybody', now);
  }

  /** Renews the lease before its time. Nothing where there is none. */
  renew(now: number): Step {
    if (this.#lease === undefined) return NOTHING;
    this.#begin(now);
    this.#state = 'Renewing';
    return this.#say({ type: 'request', ownAddress: this.#lease.address }, this.#lease.server, now);
  }

  /** Gives the address back (§4.4.6). There is no answer. */
  release(now: number): Step {
    const lease = this.#lease;
    if (lease === undefined) return NOTHING;
    this.#begin(now);
    this.#stop();
    return this.#once({ type: 'release', ownAddress: lease.address, server: lease.server }, lease.server);
  }

  /** Says that somebody else has the address (§4.4.4), and asks again in ten seconds. There is no answer. */
  decline(now: number): Step {
    const lease = this.#lease;
    if (lease === undefined) return NOTHING;
    this.#begin(now);
    this.#stop();
    this.#due = now + AFTER_DECLINE;
    return this.#once({ type: 'decline', requestedAddress: lease.address, server: lease.server }, 'everybody');
  }

  /** Has an address by other means, and asks for the rest (§4.4.3). */
  inform(now: number, address: Ipv4): Step {
    this.#begin(now);
    this.#state = 'Informing';
    return this.#say({ type: 'inform', ownAddress: address }, 'everybody', now);
  }

  /** Forgets all; as when the machine is switched off. */
  stop(): void {
    this.#stop();
  }

  /** Does what is due. Nothing is, where it is called too early. */
  tick(now: number): Step {
    if (this.#due === undefined || now < this.#due) return NOTHING;
    switch (this.#state) {
      case 'Init':
        return this.start(now);
      case 'Requesting':
        return this.#attempts >= MOST_REQUESTS ? this.start(now) : this.#repeat(now);
      case 'Rebooting':
        return this.#attempts >= MOST_REBOOT_REQUESTS ? this.start(now) : this.#repeat(now);
      case 'Selecting':
      case 'Informing':
        return this.#repeat(now);
      default:
        return this.#keep(now);
    }
  }

  /** Takes a datagram, whatever it is. */
  receive(datagram: Uint8Array, now: number): Step {
    const message = this.#mine(datagram);
    if (message === undefined) return NOTHING;
    switch (byteOf(message, OPTION.messageType)) {
      case MESSAGE_TYPE.offer:
        return this.#state === 'Selecting' ? this.#offered(message, now) : NOTHING;
      case MESSAGE_TYPE.ack:
        return this.#acknowledged(message, now);
      case MESSAGE_TYPE.nak:
        return this.#refused(message, now);
      default:
        return NOTHING;
    }
  }

  #mine(datagram: Uint8Array): DhcpMessage | undefined {
    try {
      const message = decodeMessage(datagram);
      const { op, xid, macAddress } = message;
      return op === BOOT_REPLY && xid === this.#xid && macAddress === this.#identity.macAddress ? message : undefined;
    } catch (error) {
      if (error instanceof PacketError) return undefined;
      throw error;
    }
  }

  #offered(heard: DhcpMessage, now: number): Step {
    const server = addressIn(heard, OPTION.serverIdentifier);
    if (server === undefined || heard.yiaddr === 0) return NOTHING;
    this.#state = 'Requesting';
    const message = { type: 'request', requestedAddress: heard.yiaddr, server } as const;
    return { ...this.#say(message, 'everybody', now), heard };
  }

  #acknowledged(heard: DhcpMessage, now: number): Step {
    if (this.#state === 'Informing') {
      this.#state = 'Informed';
      this.#due = undefined;
      return { heard };
    }
    const isRapid = this.#state === 'Selecting' && optionOf(heard, OPTION.rapidCommit) !== undefined;
    if (!isRapid && !this.#awaitsAnswer(heard)) return NOTHING;
    const lease = leaseOf(heard, this.#askedAt);
    if (lease === undefined || lease.expiresAt <= now) return NOTHING;
    this.#lease = lease;
    this.#state = 'Bound';
    this.#refusals = 0;
    this.#due = finite(lease.renewAt);
    return { heard };
  }

  #refused(heard: DhcpMessage, now: number): Step {
    if (!this.#awaitsAnswer(heard)) return NOTHING;
    this.#refusals += 1;
    if (this.#refusals === 1) return { ...this.start(now), heard };
    // Two that do not agree must not make it ask as fast as they answer.
    this.#stop();
    this.#due = now + retransmissionDelay(this.#refusals - 2, this.#random());
    return { heard };
  }

  /** Whether it has asked for an address, and this is of the server that it asked. */
  #awaitsAnswer(heard: DhcpMessage): boolean {
    if (this.#state === 'Requesting') return addressIn(heard, OPTION.serverIdentifier) === this.#said?.message.server;
    return this.#state === 'Rebooting' || this.#state === 'Renewing' || this.#state === 'Rebinding';
  }

  #discover(now: number): Step {
    this.#state = 'Selecting';
    return this.#say({ type: 'discover' }, 'everybody', now);
  }

  /** What a client with an address does by its lease's times (§4.4.5). */
  #keep(now: number): Step {
    const lease = this.#lease;
    if (lease === undefined || now >= lease.expiresAt) return this.start(now);
    const ownAddress = lease.address;
    if (now < lease.rebindAt) {
      if (this.#state !== 'Renewing') return this.renew(now);
      return this.#say({ type: 'request', ownAddress }, lease.server, now);
    }
    this.#state = 'Rebinding';
    return this.#say({ type: 'request', ownAddress }, 'everybody', now);
  }

  #begin(now: number): void {
    this.#xid = Math.floor(this.#random() * 2 ** 32);
    this.#since = now;
  }

  #stop(): void {
    this.#state = 'Init';
    this.#lease = undefined;
    this.#due = undefined;
  }

  /** Says something for the first time in this state. */
  #say(message: Omit<ClientMessage, 'xid' | 'secs'>, to: Transmission['to'], now: number): Step {
    this.#said = { message, to };
    this.#attempts = 0;
    return this.#repeat(now);
  }

  #repeat(now: number): Step {
    if (this.#said === undefined) return NOTHING;
    const { message, to } = this.#said;
    this.#askedAt = now;
    this.#due = this.#nextAttempt(now);
    this.#attempts += 1;
    return this.#once(message, to, now);
  }

  #nextAttempt(now: number): number {
    const lease = this.#lease;
    if (lease !== undefined && this.#state === 'Renewing') return nextRenewal(now, lease.rebindAt);
    if (lease !== undefined && this.#state === 'Rebinding') return nextRenewal(now, lease.expiresAt);
    return now + retransmissionDelay(this.#attempts, this.#random());
  }

  #once(message: Omit<ClientMessage, 'xid' | 'secs'>, to: Transmission['to'], now = this.#since): Step {
    const secs = Math.floor((now - this.#since) / 1000);
    return { send: { datagram: encodeClientMessage(this.#identity, { ...message, xid: this.#xid, secs }), to } };
  }
}

function byteOf(message: DhcpMessage, code: number): number | undefined {
  const value = optionOf(message, code);
  return value === undefined ? undefined : decodeU8(value);
}

function addressIn(message: DhcpMessage, code: number): Ipv4 | undefined {
  const value = optionOf(message, code);
  return value === undefined ? undefined : decodeU32(value);
}

function finite(time: number): number | undefined {
  return Number.isFinite(time) ? time : undefined;
}
