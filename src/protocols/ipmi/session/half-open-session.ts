import type { Privilege } from '../message/privilege.ts';
import type { Peer } from '../peer.ts';
import type { CipherSuite } from '../rmcpplus/cipher-suite.ts';
import type { KeyExchange } from '../rmcpplus/keys.ts';
import type { ConsoleSessionId, ManagedSessionId } from '../rmcpplus/session-id.ts';

/** A session between Open Session and RAKP 3: nobody has proved anything yet. */
export interface HalfOpenSession {
  readonly id: ManagedSessionId;
  readonly consoleId: ConsoleSessionId;
  readonly suite: CipherSuite;
  /** What Open Session granted; RAKP 1 may ask for as much or less. */
  readonly maxPrivilege: Privilege;
  readonly peer: Peer;
  readonly openedAt: number;
  /** Set by RAKP 1. */
  exchange?: { readonly keys: KeyExchange; readonly privilege: Privilege; readonly user: string };
}
