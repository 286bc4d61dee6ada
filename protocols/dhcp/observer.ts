import type { HardwareAddress, Ipv4, Lease } from './lease.ts';

/** RFC 2132 §9.6, by name; `Unknown`: no DHCP message, or one of a type that servers do not get. */
export type MessageType = 'Discover' | 'Request' | 'Decline' | 'Release' | 'Inform' | 'Unknown';

/**
 * What came of a datagram. Answers: `Offer`, `Ack`, `Nak`. Silence: `UnknownClient`, `OtherServer` (it chose another),
 * `NotFresh` (it would be refused, were the store fresh), `OtherNetwork` (relayed from where its lease is not),
 * `RateLimited` (a known client that asks too often), `Malformed`, `Ignored` (not for a server, or nothing to say), and
 * `Noted` for a DECLINE or RELEASE.
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
  | 'RateLimited'
  | 'Malformed'
  | 'Ignored';

/** What a client tells of itself; chosen by the client, so anything may stand here. At most 255 bytes each. */
export interface ClientInputs {
  /** Option 12. */
  readonly hostname?: string;
  /** Option 60. */
  readonly vendorClass?: string;
}

/**
 * What a server has to tell: logs, metrics, Events and the status of leases hang on here. Functions are called in the
 * middle of a packet: they return at once and do not throw. Times are those that `handle` was given.
 */
export interface DhcpObserver {
  /** Of every datagram, once. Called on the hot path. */
  handled?(type: MessageType, outcome: Outcome): void;
  /** A client was given its lease. Called on the hot path; `inputs` reads the packet, so only during the call. */
  acknowledged?(lease: Lease, now: number, inputs: () => ClientInputs): void;
  /** A client was heard that has the lease. Called on the hot path. */
  seen?(lease: Lease, now: number): void;
  released?(lease: Lease, now: number): void;
  /** The client says that somebody else has its address. Anybody can forge this. */
  declined?(lease: Lease, now: number): void;
  refused?(lease: Lease, asked: Ipv4 | undefined, now: number): void;
  /** A client of ours chose a server that is none of ours: there is another DHCP server on the network. */
  otherServer?(lease: Lease, server: Ipv4, now: number): void;
  /** The one network boot that `lease.boot` is for has been. */
  bootConsumed?(lease: Lease, now: number): void;
  /** A datagram was dropped: where it stopped making sense, or a stranger's, if there are not too many. Sampled by whoever logs it. */
  dropped?(outcome: Outcome, macAddress: HardwareAddress | undefined, detail: string): void;
  /** Something failed that should not; the packet at hand was dropped and the server goes on. */
  failed?(error: unknown, activity: string): void;
}
