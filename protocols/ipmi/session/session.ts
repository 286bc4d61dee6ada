import type { Account } from '../../accounts.ts';
import { SerialQueue } from '../../serial-queue.ts';
import { PRIVILEGE, type Privilege } from '../message/codes.ts';
import type { Peer } from '../datagram.ts';
import type { ManagedSessionId } from '../rmcpplus/session-id.ts';
import { isStillGranted } from './account.ts';
import { Retransmissions } from './retransmissions.ts';

/** Maximum number of waiting requests per session; further ones are dropped. */
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

/** An active session: its client has authenticated. */
export class Session {
  readonly id: ManagedSessionId;
  /** Handle for Get Session Info and Close Session, starting at 1. */
  readonly handle: number;
  /** The account name in printable ASCII. */
  readonly user: string;
  /** The account at log-in, or after a change by this session. */
  account: Account;
  /** The account after a pending change of this session, or before a finished one: the account list may show either. */
  otherAccount: Account | undefined;
  /** Maximum level for Set Session Privilege Level. */
  readonly maxPrivilege: Privilege;
  /** Current level; sessions start at User or lower, IPMI 2.0 §22.18. */
  privilege: Privilege;
  readonly channel: SessionChannel;
  /** The client's code and the last response of the log-in, to repeat it if it was lost. */
  readonly opening: { readonly proof: Buffer; readonly answer: Buffer };
  /** False for IPMI 1.5, which has only the IPMI message payload. */
  readonly isRmcpPlus: boolean;
  /** Source of the last packet; a client may change its port. */
  peer: Peer;
  /** ms; time of the last genuine packet. */
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

  /** Whether it may continue with the current accounts. */
  isGranted(accounts: readonly Account[]): boolean {
    return [this.account, this.otherAccount].some(
      (known) => known !== undefined && isStillGranted(known, this.maxPrivilege, accounts),
    );
  }
}

/** The channel of a session: it protects sent packets, and accepts genuine packets once. */
export interface SessionChannel {
  /** Maximum payload length in bytes; undefined: no limit. */
  readonly maxPayload?: number;
  /** Encodes the datagram for `payload`. */
  seal(payloadType: number, payload: Buffer): Buffer;
  /**
   * Returns the decrypted payload of a datagram: a copy.
   *
   * @throws PacketError to drop it; the state changes only if the packet was genuine but its content malformed
   */
  open(datagram: Buffer): Buffer;
}
