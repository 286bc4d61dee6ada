import { BOOT_REPLY, MESSAGE_TYPE } from '../codec/header.ts';
import { decodeMessage, type DhcpMessage, optionOf, PacketError } from '../codec/message.ts';
import type { Ipv4 } from '../lease.ts';
import { decodeU32, decodeU8 } from '../options/values.ts';
import { OPTION } from '../options/option-code.ts';
import type { ClientIdentity } from './client-identity.ts';
import { type ClientLease, leaseOf, nextRenewal, retransmissionDelay } from './client-lease.ts';
import { type ClientMessage, encodeClientMessage } from './client-message.ts';

/**
 * RFC 2131 §4.4, figure 5. `Rebooting`: the client requests its previous address. `Init`: it has no address; if
 * {@link DhcpClient.due} is set, it waits before it starts. `Informing`, `Informed`: its address is externally configured (§4.4.3).
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
  /** At least 0, less than 1: for transaction IDs and the jitter of retransmissions. */
  random: () => number;
}

/** A datagram and its destination: a broadcast, or one server. */
export interface Transmission {
  readonly datagram: Uint8Array;
  readonly to: 'broadcast' | Ipv4;
}

/** The result of an event. */
export interface Step {
  /** A message to send now. */
  readonly send?: Transmission;
  /** The accepted message; absent for messages to other clients, late messages and invalid datagrams. */
  readonly heard?: DhcpMessage;
}

/** About one minute in total, §3.1. */
const MOST_REQUESTS = 4;
/** After these the client starts without its previous address. */
const MOST_REBOOT_REQUESTS = 2;
/** ms; RFC 2131 §3.1. */
const AFTER_DECLINE = 10_000;
const NOTHING: Step = {};

/**
 * A DHCP client as a state machine: events and times in, datagrams out. It has no socket, clock or timer.
 * Times are ms of one monotonic clock. Call {@link tick} when {@link due} is reached.
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
  /** The current exchange: its ID, its start, the message, how often and when it was first sent. */
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

  /** The address and the options; undefined before `Bound` and after the address is lost. */
  get lease(): ClientLease | undefined {
    return this.#lease;
  }

  /** When {@link tick} must be called; undefined: no call needed. */
  get due(): number | undefined {
    return this.#due;
  }

  /** Requests an address; with `address`, the one that it had before it was switched off (INIT-REBOOT, §4.4.2). */
  start(now: number, { address }: { address?: Ipv4 } = {}): Step {
    this.#lease = undefined;
    this.#begin(now);
    if (address === undefined) return this.#discover(now);
    this.#state = 'Rebooting';
    return this.#say({ type: 'request', requestedAddress: address }, 'broadcast', now);
  }

  /** Renews the lease early. Does nothing without a lease. */
  renew(now: number): Step {
    if (this.#lease === undefined) return NOTHING;
    this.#begin(now);
    this.#state = 'Renewing';
    return this.#say({ type: 'request', ownAddress: this.#lease.address }, this.#lease.server, now);
  }

  /** Releases the address (§4.4.6). There is no answer. */
  release(now: number): Step {
    const lease = this.#lease;
    if (lease === undefined) return NOTHING;
    this.#begin(now);
    this.#stop();
    return this.#once({ type: 'release', ownAddress: lease.address, server: lease.server }, lease.server);
  }

  /** Reports that another host uses the address (§4.4.4), and starts again after ten seconds. There is no answer. */
  decline(now: number): Step {
    const lease = this.#lease;
    if (lease === undefined) return NOTHING;
    this.#begin(now);
    this.#stop();
    this.#due = now + AFTER_DECLINE;
    return this.#once({ type: 'decline', requestedAddress: lease.address, server: lease.server }, 'broadcast');
  }

  /** Requests options for an externally configured address (§4.4.3). */
  inform(now: number, address: Ipv4): Step {
    this.#begin(now);
    this.#state = 'Informing';
    return this.#say({ type: 'inform', ownAddress: address }, 'broadcast', now);
  }

  /** Forgets all state, as when the machine is switched off. */
  stop(): void {
    this.#stop();
  }

  /** Does what is due. Does nothing if called too early. */
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

  /** Handles any datagram. */
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
    return { ...this.#say(message, 'broadcast', now), heard };
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
    // The delay prevents a fast loop with a server that keeps sending NAK.
    this.#stop();
    this.#due = now + retransmissionDelay(this.#refusals - 2, this.#random());
    return { heard };
  }

  /** Whether the client waits for an answer of the server that sent this message. */
  #awaitsAnswer(heard: DhcpMessage): boolean {
    if (this.#state === 'Requesting') return addressIn(heard, OPTION.serverIdentifier) === this.#said?.message.server;
    return this.#state === 'Rebooting' || this.#state === 'Renewing' || this.#state === 'Rebinding';
  }

  #discover(now: number): Step {
    this.#state = 'Selecting';
    return this.#say({ type: 'discover' }, 'broadcast', now);
  }

  /** The timed actions of a client with a lease (§4.4.5). */
  #keep(now: number): Step {
    const lease = this.#lease;
    if (lease === undefined || now >= lease.expiresAt) return this.start(now);
    const ownAddress = lease.address;
    if (now < lease.rebindAt) {
      if (this.#state !== 'Renewing') return this.renew(now);
      return this.#say({ type: 'request', ownAddress }, lease.server, now);
    }
    this.#state = 'Rebinding';
    return this.#say({ type: 'request', ownAddress }, 'broadcast', now);
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

  /** Sends a new message in this state. */
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
