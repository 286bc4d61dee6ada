import type { LoginFailure } from '../observer.ts';
import type { Privilege } from '../message/privilege.ts';
import type { Peer } from '../peer.ts';
import type { CipherSuite } from '../rmcpplus/cipher-suite.ts';
import type { KeyExchange } from '../rmcpplus/keys.ts';
import type { ConsoleSessionId, ManagedSessionId } from '../rmcpplus/session-id.ts';
import type { StatusCode } from '../rmcpplus/status-code.ts';
import type { IpmiUser } from './account.ts';
import type { LoginAttempt } from '../../logins/index.ts';

/** A log-in that has begun: nobody has proved anything yet. */
interface Begun {
  readonly id: ManagedSessionId;
  readonly peer: Peer;
  readonly openedAt: number;
}

/** A session between Open Session and RAKP 3. */
export interface HalfOpenSession extends Begun {
  readonly consoleId: ConsoleSessionId;
  readonly suite: CipherSuite;
  /** What Open Session granted; RAKP 1 may ask for as much or less. */
  readonly maxPrivilege: Privilege;
  /** Set by RAKP 1. */
  exchange?: Exchange;
}

/** What RAKP 1 has led to. */
export interface Exchange {
  readonly keys: KeyExchange;
  readonly privilege: Privilege;
  /** The name that the client gave, in printable ASCII. */
  readonly user: string;
  /** Undefined where no such user may log in, which the client is not to see before it has shown its own proof. */
  readonly account: IpmiUser | undefined;
  readonly attempt: LoginAttempt | undefined;
  /** Why it will be refused whatever the proof, where names are hidden. */
  readonly denial?: Denial;
}

export interface Denial {
  readonly status: StatusCode;
  readonly failure: LoginFailure;
}

/** A session of IPMI 1.5 between Get Session Challenge and Activate Session. */
export interface ChallengedSession extends Begun {
  readonly challenge: Buffer;
  /** As the client gave it, without padding. */
  readonly name: Buffer;
}
