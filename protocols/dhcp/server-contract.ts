import type { HardwareAddress, Ipv4, Lease, LeaseStore } from './lease.ts';

/** Names of RFC 2132 §9.6; `Unknown`: not a DHCP message, or a type that servers do not receive. */
export type MessageType = 'Discover' | 'Request' | 'Decline' | 'Release' | 'Inform' | 'Unknown';

/**
 * Result of a datagram. Answers: `Offer`, `Ack`, `Nak`. No answer: `UnknownClient`, `OtherServer` (the client chose another),
 * `NotFresh` (a NAK is withheld because the store is stale), `OtherNetwork` (relayed from a network other than its lease's),
 * `UnknownRelay` (its relay agent is neither in a network of the pools nor listed), `RateLimited` (a known client over its limit),
 * `Malformed`, `Ignored` (not for a server, or no answer defined), and `Noted` for a DECLINE or RELEASE.
 */
export type Outcome =
  | 'Offer'
  | 'Ack'
  | 'Nak'
  | 'Noted'
  | 'UnknownClient'
  | 'OtherServer'
  | 'NotFresh'
  | 'OtherNetwork'
  | 'UnknownRelay'
  | 'RateLimited'
  | 'Malformed'
  | 'Ignored';

/** Data chosen by the client, so not trustworthy. At most 255 bytes each. */
export interface ClientInputs {
  /** Option 12. */
  readonly hostname?: string;
  /** Option 60. */
  readonly vendorClass?: string;
}

/**
 * Events of a server, for logs, metrics and lease status. Functions are called while a packet is handled: they
 * must return at once and not throw. Times are those passed to `handle`.
 */
export interface DhcpObserver {
  /** Called once for every datagram, on the hot path. */
  handled?(type: MessageType, outcome: Outcome): void;
  /** A client got an ACK. Called on the hot path; `inputs` reads the packet and is valid only during the call. */
  acknowledged?(lease: Lease, now: number, inputs: () => ClientInputs): void;
  /** A client with this lease sent a message. Called on the hot path. */
  seen?(lease: Lease, now: number): void;
  released?(lease: Lease, now: number): void;
  /** The client reports that another host uses its address. The message can be forged. */
  declined?(lease: Lease, now: number): void;
  refused?(lease: Lease, asked: Ipv4 | undefined, now: number): void;
  /** A known client chose a server that is not a sibling: another DHCP server is on the network. */
  otherServer?(lease: Lease, server: Ipv4, now: number): void;
  /** The one-time network boot of `lease.boot` is done. */
  bootConsumed?(lease: Lease, now: number): void;
  /** A datagram was dropped: malformed, or of an unknown client or relay agent within the limit. Sample before logging. */
  dropped?(outcome: Outcome, macAddress: HardwareAddress | undefined, detail: string): void;
  /** An unexpected error; the packet was dropped and the server continues. */
  failed?(error: unknown, activity: string): void;
}

export interface DhcpServerOptions {
  store: LeaseStore;
  observer?: DhcpObserver;
  /** Packets per second: of each client, and reports of all unknown clients together. Missing values use the server's defaults. */
  limits?: { perClient?: number; unknownClients?: number };
}

/** Source of a datagram. */
export interface Origin {
  readonly address: Ipv4;
  readonly port: number;
}

/** An answer and its destination. */
export interface Reply {
  /** Valid until the next call of the server. */
  readonly datagram: Uint8Array;
  /** The server address to send from. */
  readonly from: Ipv4;
  /** 255.255.255.255 for a client without an address. */
  readonly to: Ipv4;
  readonly port: number;
}

/** A DHCP server as a state machine: a datagram and the time in, an optional answer out. Never throws. */
export interface DhcpHandler {
  /** @param now ms of a monotonic clock */
  handle(datagram: Uint8Array, origin: Origin, now: number): Reply | undefined;
}
