import { PRIVILEGE, type Privilege } from '../message/privilege.ts';
import type { Peer } from '../peer.ts';
import type { SecureChannel } from '../rmcpplus/secure-channel.ts';
import type { ManagedSessionId } from '../rmcpplus/session-id.ts';
import { Retransmissions } from './retransmissions.ts';
import { SerialQueue } from './serial-queue.ts';

/** Requests of one session that may wait behind a slow one; a client that has sent more waits for answers first. */
const MAX_WAITING_REQUESTS = 16;

export interface SessionOptions {
  id: ManagedSessionId;
  handle: number;
  user: string;
  maxPrivilege: Privilege;
  channel: SecureChannel;
  handshake: { rakp3AuthCode: Buffer; rakp4: Buffer };
  peer: Peer;
  now: number;
}

/** An active RMCP+ session: somebody who proved to know the password. */
export class Session {
  readonly id: ManagedSessionId;
  /** Small number that Get Session Info and Close Session know it by; 1 up. */
  readonly handle: number;
  readonly user: string;
  /** Highest level that Set Session Privilege Level may reach. */
  readonly maxPrivilege: Privilege;
  /** Level now: sessions start as User at most, IPMI 2.0 §22.18. */
  privilege: Privilege;
  readonly channel: SecureChannel;
  /** The client's proof and our last word of the handshake, to say it again when it was lost. */
  readonly handshake: { readonly rakp3AuthCode: Buffer; readonly rakp4: Buffer };
  /** Where the last packet came from; a client may move to another port. */
  peer: Peer;
  /** ms; any genuine packet moves it. */
  lastActive: number;
  readonly queue = new SerialQueue(MAX_WAITING_REQUESTS);
  readonly retransmissions = new Retransmissions();
  isOpen = true;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.handle = options.handle;
    this.user = options.user;
    this.maxPrivilege = options.maxPrivilege;
    this.privilege = options.maxPrivilege < PRIVILEGE.user ? options.maxPrivilege : PRIVILEGE.user;
    this.channel = options.channel;
    this.handshake = options.handshake;
    this.peer = options.peer;
    this.lastActive = options.now;
  }
}
