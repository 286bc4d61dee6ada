import type { Ipv4, LeaseStore } from './lease.ts';
import type { DhcpObserver } from './observer.ts';

export interface DhcpServerOptions {
  store: LeaseStore;
  observer?: DhcpObserver;
  /** Packets a second: of one client, and of all strangers together that are told of. Defaults are the server's own. */
  limits?: { perClient?: number; unknownClients?: number };
}

/** Where a datagram came from. */
export interface Origin {
  readonly address: Ipv4;
  readonly port: number;
}

/** An answer, and where it goes. */
export interface Reply {
  /** Valid until the server is called again. */
  readonly datagram: Uint8Array;
  /** The server's own address that it is to come from. */
  readonly from: Ipv4;
  /** 255.255.255.255 for a client without an address. */
  readonly to: Ipv4;
  readonly port: number;
}

/** A DHCP server as a state machine: a datagram and the time in, an answer or none out. Never throws. */
export interface DhcpHandler {
  /** @param now ms of a clock that never goes back */
  handle(datagram: Uint8Array, origin: Origin, now: number): Reply | undefined;
}
