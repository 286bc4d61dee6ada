import type { Ipv4, LeaseStore } from './lease.ts';
import type { DhcpObserver } from './observer.ts';

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
