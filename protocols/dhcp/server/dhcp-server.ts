import { BOOT_REQUEST } from '../codec/header.ts';
import type { Ipv4, Lease, LeaseStore } from '../lease.ts';
import { PacketLimits } from './packet-limits.ts';
import type {
  ClientInputs,
  DhcpHandler,
  DhcpObserver,
  DhcpServerOptions,
  Origin,
  Outcome,
  Reply,
} from '../server-contract.ts';
import { OPTION } from '../options/option-code.ts';
import { formatAddress } from '../../udp/ipv4-text.ts';
import { decodeText } from '../options/values.ts';
import { AnswerWriter } from './answer/answer-writer.ts';
import { answerDestination, informedDestination, nakDestination } from './answer/destination.ts';
import { ANSWER } from './answer/template.ts';
import { ClientRequest, isKnownRelay, namedServer } from './client-request.ts';
import { type MessageKind, messageKind } from './rules.ts';
import { bootClient, type BootFile, bootFile } from './netboot/boot-file.ts';
import { OneTimeBoots } from './netboot/one-time-boots.ts';

/**
 * A DHCP server (RFC 2131) for known clients: a client with a lease always gets the same address; other clients get no answer.
 * Datagrams in, datagrams out: it uses no socket and no clock.
 *
 * @example
 * const server = new DhcpServer({ store });
 * const reply = server.handle(datagram, { address, port }, performance.now());
 * if (reply !== undefined) send(reply.datagram, reply.port, reply.to);
 */
export class DhcpServer implements DhcpHandler {
  readonly #store: LeaseStore;
  readonly #observer: DhcpObserver;
  readonly #limits: PacketLimits;
  readonly #boots: OneTimeBoots;
  readonly #writer = new AnswerWriter();
  readonly #request = new ClientRequest();
  /** Reused for all replies, as is its datagram. */
  readonly #reply: { -readonly [field in keyof Reply]: Reply[field] } = {
    datagram: new Uint8Array(0),
    from: 0,
    to: 0,
    port: 0,
  };

  constructor({ store, observer = {}, limits }: DhcpServerOptions) {
    this.#store = store;
    this.#observer = observer;
    this.#limits = new PacketLimits(limits);
    this.#boots = new OneTimeBoots((macAddress, uid, now) => {
      const lease = store.find(macAddress);
      if (lease?.boot?.uid === uid && !lease.boot.isConsumed) observer.bootConsumed?.(lease, now);
    });
  }

  handle(datagram: Uint8Array, origin: Origin, now: number): Reply | undefined {
    try {
      return this.#handle(datagram, origin, now);
    } catch (error) {
      this.#observer.failed?.(error, 'handle a datagram');
      return undefined;
    }
  }

  #handle(datagram: Uint8Array, origin: Origin, now: number): Reply | undefined {
    const { packet } = this.#request;
    this.#boots.expire(now);
    const fault = this.#request.read(datagram);
    if (fault !== undefined) {
      this.#observer.handled?.('Unknown', 'Malformed');
      this.#observer.dropped?.('Malformed', undefined, fault);
      return undefined;
    }
    const kind = messageKind(packet.op === BOOT_REQUEST ? packet.messageType : undefined);
    const lease = this.#store.find(packet.macAddress);
    if (lease === undefined) return this.#ignoreStranger(kind, 'UnknownClient', now);
    if (!isKnownRelay(this.#request, lease)) return this.#ignoreStranger(kind, 'UnknownRelay', now);
    if (!this.#limits.admitsClient(lease, now)) return this.#silent(kind, 'RateLimited');
    if (kind.type !== 'Unknown') this.#observer.seen?.(lease, now);
    return this.#act(kind, kind.decide(this.#request, lease), lease, origin, now);
  }

  #act(kind: MessageKind, outcome: Outcome, lease: Lease, origin: Origin, now: number): Reply | undefined {
    switch (outcome) {
      case 'Offer':
      case 'Ack':
        return kind.type === 'Inform' ? this.#inform(kind, lease) : this.#give(kind, outcome, lease, origin, now);
      case 'Nak':
        return this.#refuse(kind, lease, origin, now);
      case 'Noted':
        if (kind.type === 'Decline') this.#observer.declined?.(lease, now);
        else this.#observer.released?.(lease, now);
        break;
      case 'OtherServer':
        this.#choseAnother(kind, lease, now);
        break;
      case 'Malformed':
        this.#observer.dropped?.(outcome, lease.macAddress, `${kind.type} lacks an address or a server identifier`);
        break;
    }
    return this.#silent(kind, outcome);
  }

  /** Sends an OFFER or an ACK. */
  #give(kind: MessageKind, outcome: 'Offer' | 'Ack', lease: Lease, origin: Origin, now: number): Reply {
    const boot = this.#bootFile(lease, now);
    const isAck = outcome === 'Ack';
    const answer = isAck ? ANSWER.ack : ANSWER.offer;
    const isRapid = isAck && kind.type === 'Discover';
    const datagram = this.#writer.write(this.#request, lease, { answer, boot, isRapid, echoesRelayAgent: true });
    answerDestination(this.#request, lease, origin, this.#reply);
    if (isAck) {
      if (boot !== undefined) this.#boots.acknowledged(lease, now);
      this.#observer.acknowledged?.(lease, now, this.#inputs);
    }
    this.#told(kind, outcome);
    return this.#answer(lease, datagram);
  }

  #inform(kind: MessageKind, lease: Lease): Reply {
    const parts = { answer: ANSWER.informed, boot: undefined, isRapid: false };
    // The answer bypasses the relay agent, which would have removed its option.
    const echoesRelayAgent = this.#request.packet.giaddr === 0;
    const datagram = this.#writer.write(this.#request, lease, { ...parts, echoesRelayAgent });
    informedDestination(this.#request, this.#reply);
    this.#told(kind, 'Ack');
    return this.#answer(lease, datagram);
  }

  /** Sends a NAK; a stale store sends none, since it may have missed a change. */
  #refuse(kind: MessageKind, lease: Lease, origin: Origin, now: number): Reply | undefined {
    if (!this.#store.isFresh) return this.#silent(kind, 'NotFresh');
    const datagram = this.#writer.writeNak(this.#request, lease, 'this is not your address');
    nakDestination(this.#request, origin, this.#reply);
    this.#observer.refused?.(lease, this.#askedAddress(), now);
    this.#told(kind, 'Nak');
    return this.#answer(lease, datagram);
  }

  #choseAnother(kind: MessageKind, lease: Lease, now: number): void {
    if (namedServer(this.#request, lease) === 'stranger') {
      const server = this.#request.packet.u32(OPTION.serverIdentifier);
      if (server !== undefined) this.#observer.otherServer?.(lease, server, now);
    } else if (kind.type === 'Request' && this.#bootFile(lease, now) !== undefined) {
      // The sibling sends the same boot file.
      this.#boots.acknowledged(lease, now);
    }
  }

  /** The boot file, if the client requests one. Otherwise a one-time boot may be done. */
  #bootFile(lease: Lease, now: number): BootFile | undefined {
    const { packet } = this.#request;
    const client = bootClient(packet);
    if (client === undefined) {
      this.#boots.askedByOperatingSystem(lease, now);
      return undefined;
    }
    return this.#boots.isConsumed(lease) ? undefined : bootFile(packet, client, lease);
  }

  #ignoreStranger(kind: MessageKind, outcome: 'UnknownClient' | 'UnknownRelay', now: number): Reply | undefined {
    const { macAddress, giaddr } = this.#request.packet;
    if (this.#limits.tellsOfStranger(now)) {
      const detail = outcome === 'UnknownRelay' ? `${kind.type} by ${formatAddress(giaddr)}` : kind.type;
      this.#observer.dropped?.(outcome, macAddress, detail);
    }
    return this.#silent(kind, outcome);
  }

  #askedAddress(): Ipv4 | undefined {
    const { packet } = this.#request;
    return packet.u32(OPTION.requestedAddress) ?? (packet.ciaddr === 0 ? undefined : packet.ciaddr);
  }

  #answer({ settings }: Lease, datagram: Uint8Array): Reply {
    this.#reply.datagram = datagram;
    this.#reply.from = settings.serverAddress;
    return this.#reply;
  }

  #silent(kind: MessageKind, outcome: Outcome): Reply | undefined {
    this.#told(kind, outcome);
    return undefined;
  }

  #told({ type }: MessageKind, outcome: Outcome): void {
    this.#observer.handled?.(type, outcome);
  }

  /** Created once: it is passed with every ACK. */
  readonly #inputs = (): ClientInputs => {
    const { packet } = this.#request;
    const hostname = textOf(packet.option(OPTION.hostName));
    const vendorClass = textOf(packet.option(OPTION.vendorClass));
    return { ...(hostname !== undefined && { hostname }), ...(vendorClass !== undefined && { vendorClass }) };
  };
}

/** At most 255 bytes: split options can have any length. */
function textOf(value: Uint8Array | undefined): string | undefined {
  return value && decodeText(value.subarray(0, 255));
}
