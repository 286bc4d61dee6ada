import type { LoginFailure } from '../observer.ts';
import type { Privilege } from '../message/codes.ts';
import type { Peer } from '../datagram.ts';
import type { CipherSuite } from '../rmcpplus/cipher-suite.ts';
import type { KeyExchange } from '../rmcpplus/keys.ts';
import type { ConsoleSessionId, ManagedSessionId } from '../rmcpplus/session-id.ts';
import type { StatusCode } from '../rmcpplus/open-session.ts';
import type { IpmiUser } from './account.ts';
import type { LoginAttempt } from '../../logins/index.ts';

/** A started log-in, before any authentication. */
interface Begun {
  readonly id: ManagedSessionId;
  readonly peer: Peer;
  readonly openedAt: number;
}

/** A session between Open Session and RAKP 3. */
export interface HalfOpenSession extends Begun {
  readonly consoleId: ConsoleSessionId;
  readonly suite: CipherSuite;
  /** Granted by Open Session; RAKP 1 may request at most this level. */
  readonly maxPrivilege: Privilege;
  /** Set by RAKP 1. */
  exchange?: Exchange;
}

/** State after RAKP 1. */
export interface Exchange {
  readonly keys: KeyExchange;
  readonly privilege: Privilege;
  /** The client's user name in printable ASCII. */
  readonly user: string;
  /** Undefined if no such user may log in; this must not be visible to the client before RAKP 3. */
  readonly account: IpmiUser | undefined;
  readonly attempt: LoginAttempt | undefined;
  /** If user names are hidden: the refusal, which does not depend on the client's code. */
  readonly denial?: Denial;
}

export interface Denial {
  readonly status: StatusCode;
  readonly failure: LoginFailure;
}

/** A session of IPMI 1.5 between Get Session Challenge and Activate Session. */
export interface ChallengedSession extends Begun {
  readonly challenge: Buffer;
  /** As received, without padding. */
  readonly name: Buffer;
}
