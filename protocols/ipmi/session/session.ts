import type { Account } from '../../accounts.ts';
import { PRIVILEGE, type Privilege } from '../message/privilege.ts';
import type { Peer } from '../peer.ts';
import type { ManagedSessionId } from '../rmcpplus/session-id.ts';
import { isStillGranted } from './account.ts';
import { Retransmissions } from './retransmissions.ts';
import { SerialQueue } from '../../serial-queue.ts';
import type { SessionChannel } from './session-channel.ts';

/** Requests of one session that may wait behind a slow one; a client that has sent more waits for answers first. */
const MAX_WAITING_REQUESTS = 16;

export interface SessionOptions {
  id: ManagedSessionId;
  handle: number;
  user: string;
  account: Account;
  maxPrivilege: Privilege;
  channel: SessionChannel;
  opening: { proof: Buffer; answer: Buffer };
  isRmcpPlus?: boolean;
  peer: Peer;
  now: number;
}

/** An active session: somebody who proved to know the password. */
export class Session {
  readonly id: ManagedSessionId;
  /** Small number that Get Session Info and Close Session know it by; 1 up. */
  readonly handle: number;
  /** The account's name in printable ASCII. */
  readonly user: string;
  /** As it was at the log-in, or as this session has changed it since. */
  account: Account;
  /** What it is after a change of this session that is under way, or was before one: the list of accounts may show either. */
  otherAccount: Account | undefined;
  /** Highest level that Set Session Privilege Level may reach. */
  readonly maxPrivilege: Privilege;
  /** Level now: sessions start as User at most, IPMI 2.0 §22.18. */
  privilege: Privilege;
  readonly channel: SessionChannel;
  /** The client's proof and our last word of the log-in, to say it again when it was lost. */
  readonly opening: { readonly proof: Buffer; readonly answer: Buffer };
  /** Otherwise it is one of IPMI 1.5, which carries no payloads but IPMI messages. */
  readonly isRmcpPlus: boolean;
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
    this.account = options.account;
    this.maxPrivilege = options.maxPrivilege;
    this.privilege = options.maxPrivilege < PRIVILEGE.user ? options.maxPrivilege : PRIVILEGE.user;
    this.channel = options.channel;
    this.opening = options.opening;
    this.isRmcpPlus = options.isRmcpPlus ?? true;
    this.peer = options.peer;
    this.lastActive = options.now;
  }

  /** Whether it may go on, now that the accounts are as they are. */
  isGranted(accounts: readonly Account[]): boolean {
    return [this.account, this.otherAccount].some(
      (known) => known !== undefined && isStillGranted(known, this.maxPrivilege, accounts),
    );
  }
}
