import { timingSafeEqual } from 'node:crypto';
import { PRIVILEGE, OEM_PRIVILEGE, type Privilege, privilegeOf } from '../message/privilege.ts';
import type { IpmiObserver, Login, LoginFailure } from '../observer.ts';
import { PacketError } from '../packet-error.ts';
import type { Peer } from '../peer.ts';
import { type CipherSuiteId, matchCipherSuite } from '../rmcpplus/cipher-suite.ts';
import {
  type KeyExchange,
  rakp2AuthCode,
  rakp3AuthCode,
  rakp4IntegrityCheck,
  sessionIntegrityKey,
  sessionKeys,
} from '../rmcpplus/keys.ts';
import { decodeOpenSessionRequest, encodeOpenSessionResponse, encodeRefusal } from '../rmcpplus/open-session.ts';
import { decodeRakp1, MAX_USERNAME_BYTES, type Rakp1 } from '../rmcpplus/rakp1.ts';
import { encodeRakp2 } from '../rmcpplus/rakp2.ts';
import { decodeRakp3, type Rakp3 } from '../rmcpplus/rakp3.ts';
import { encodeRakp4 } from '../rmcpplus/rakp4.ts';
import { SecureChannel } from '../rmcpplus/secure-channel.ts';
import { consoleSessionId } from '../rmcpplus/session-id.ts';
import { STATUS, type StatusCode } from '../rmcpplus/status-code.ts';
import type { IpmiUser } from './account.ts';
import type { HalfOpenSession } from './half-open-session.ts';
import type { SessionTable } from './session-table.ts';

export interface HandshakeOptions {
  sessions: SessionTable;
  cipherSuites: readonly CipherSuiteId[];
  /** Who may log in now. */
  users: () => readonly IpmiUser[];
  /** K_G, where the BMC has one. */
  bmcKey: () => Buffer | undefined;
  guid: () => Buffer;
  random: (size: number) => Buffer;
  observer: IpmiObserver;
}

const RANDOM_LENGTH = 16;
const ROLE_PRIVILEGE_MASK = 0x0f;
const NO_CONSOLE = consoleSessionId(0);

/**
 * The log-in of RMCP+, IPMI 2.0 §13.15: Open Session, then RAKP 1 to 4. Each function takes a payload and gives the
 * payload to answer with, or undefined where silence is the answer.
 *
 * @throws PacketError for payloads that cannot be read
 */
export class Handshake {
  readonly #options: HandshakeOptions;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  openSession(payload: Buffer, peer: Peer, now: number): Buffer {
    const { sessions, cipherSuites } = this.#options;
    const request = decodeOpenSessionRequest(payload);
    const refuse = (status: StatusCode): Buffer =>
      encodeRefusal({ tag: request.tag, status, consoleId: request.consoleId });
    if (request.consoleId === 0) return refuse(STATUS.invalidSessionId);
    if (request.maxPrivilege > OEM_PRIVILEGE) return refuse(STATUS.invalidRole);
    const suite = matchCipherSuite(request, cipherSuites);
    if (suite === undefined) return refuse(STATUS.noCipherSuiteMatch);
    if (sessions.isFull) return refuse(STATUS.insufficientResources);
    // FreeIPMI asks for 0, "highest", and gives up unless the answer names a level.
    const maxPrivilege = privilegeOf(request.maxPrivilege) ?? PRIVILEGE.administrator;
    const half = sessions.begin({ consoleId: request.consoleId, suite, maxPrivilege, peer, openedAt: now });
    return encodeOpenSessionResponse({ ...request, maxPrivilege, managedId: half.id, suite });
  }

  rakp1(payload: Buffer, peer: Peer, now: number): Buffer {
    const message = decodeRakp1(payload);
    const half = this.#options.sessions.halfOpen(message.managedId, now);
    if (half === undefined) {
      return encodeRefusal({ tag: message.tag, status: STATUS.invalidSessionId, consoleId: NO_CONSOLE });
    }
    const user = printable(message.username);
    const verdict = judgeRakp1(message, half, this.#options.users());
    if ('status' in verdict) {
      this.#options.sessions.abandon(half);
      this.#failed(half, user, peer, verdict.failure);
      return encodeRefusal({ tag: message.tag, status: verdict.status, consoleId: half.consoleId });
    }
    const keys = this.#exchange(message, half, verdict.account);
    half.exchange = { keys, privilege: verdict.privilege, user };
    return encodeRakp2({
      tag: message.tag,
      consoleId: half.consoleId,
      managedRandom: keys.managedRandom,
      guid: keys.guid,
      authCode: rakp2AuthCode(keys),
    });
  }

  rakp3(payload: Buffer, peer: Peer, now: number): Buffer | undefined {
    const message = decodeRakp3(payload);
    const { sessions } = this.#options;
    const half = sessions.halfOpen(message.managedId, now);
    if (half === undefined) return this.#repeatRakp4(message, now);
    const { exchange } = half;
    if (exchange === undefined) throw new PacketError('Malformed', 'RAKP Message 3 before RAKP Message 1');
    if (message.status !== STATUS.noErrors) {
      sessions.abandon(half);
      this.#failed(half, exchange.user, peer, 'WrongPassword');
      return undefined;
    }
    const refuse = (status: StatusCode, failure: LoginFailure): Buffer => {
      sessions.abandon(half);
      this.#failed(half, exchange.user, peer, failure);
      return encodeRefusal({ tag: message.tag, status, consoleId: half.consoleId });
    };
    if (!isEqual(message.authCode, rakp3AuthCode(exchange.keys))) {
      return refuse(STATUS.invalidIntegrityCheckValue, 'WrongPassword');
    }
    if (sessions.isFull) return refuse(STATUS.insufficientResources, 'NoSlot');
    return this.#activate(message, half, exchange, peer, now);
  }

  /**
   * Takes note of a handshake that nobody went on with. After our proof that is a log-in that failed: the client has seen that
   * its password is another, or collects proofs to guess the password from (CVE-2013-4786).
   */
  lapsed(half: HalfOpenSession): void {
    if (half.exchange !== undefined) this.#failed(half, half.exchange.user, half.peer, 'WrongPassword');
  }

  #activate(
    message: Rakp3,
    half: HalfOpenSession,
    { keys, privilege, user }: NonNullable<HalfOpenSession['exchange']>,
    peer: Peer,
    now: number,
  ): Buffer {
    const sik = sessionIntegrityKey(keys);
    const rakp4 = encodeRakp4({
      tag: message.tag,
      consoleId: half.consoleId,
      integrityCheck: rakp4IntegrityCheck(keys, sik),
    });
    this.#options.sessions.activate(half, {
      user,
      maxPrivilege: privilege,
      channel: new SecureChannel({
        suite: half.suite,
        keys: sessionKeys(half.suite, sik),
        remoteId: half.consoleId,
        random: this.#options.random,
      }),
      handshake: { rakp3AuthCode: Buffer.from(message.authCode), rakp4 },
      peer,
      now,
    });
    this.#options.observer.loginSucceeded?.({ user, peer, cipherSuite: half.suite.id });
    return rakp4;
  }

  /** RAKP 4 was lost and the client asks again. */
  #repeatRakp4(message: Rakp3, now: number): Buffer {
    const session = this.#options.sessions.find(message.managedId, now);
    if (session !== undefined && isEqual(message.authCode, session.handshake.rakp3AuthCode)) {
      return session.handshake.rakp4;
    }
    return encodeRefusal({ tag: message.tag, status: STATUS.invalidSessionId, consoleId: NO_CONSOLE });
  }

  /** A retransmitted RAKP 1 gets the same random number again: the client may go on with either answer. */
  #exchange(message: Rakp1, half: HalfOpenSession, account: IpmiUser): KeyExchange {
    const before = half.exchange?.keys;
    const isRetransmission =
      before?.consoleRandom.equals(message.consoleRandom) === true &&
      before.role === message.role &&
      before.username.equals(message.username);
    return {
      suite: half.suite,
      consoleId: half.consoleId,
      managedId: half.id,
      consoleRandom: Buffer.from(message.consoleRandom),
      managedRandom: isRetransmission ? before.managedRandom : this.#options.random(RANDOM_LENGTH),
      guid: isRetransmission ? before.guid : this.#options.guid(),
      role: message.role,
      username: account.name,
      userKey: account.userKey,
      bmcKey: this.#options.bmcKey(),
    };
  }

  #failed(half: HalfOpenSession, user: string, peer: Peer, reason: LoginFailure): void {
    const login: Login = { user, peer, cipherSuite: half.suite.id };
    this.#options.observer.loginFailed?.(login, reason);
  }
}

type Verdict = { account: IpmiUser; privilege: Privilege } | { status: StatusCode; failure: LoginFailure };

function judgeRakp1(message: Rakp1, half: HalfOpenSession, users: readonly IpmiUser[]): Verdict {
  const role = message.role & ROLE_PRIVILEGE_MASK;
  const privilege = privilegeOf(role);
  if (message.nameLength > MAX_USERNAME_BYTES) return { status: STATUS.invalidNameLength, failure: 'UnknownUser' };
  // No account has an empty name, so the null user is unknown like any other.
  const account = users.find(({ name }) => isEqual(message.username, name));
  if (account === undefined) {
    return { status: STATUS.unauthorizedName, failure: 'UnknownUser' };
  }
  if (privilege === undefined) {
    const status = role === OEM_PRIVILEGE ? STATUS.unauthorizedRole : STATUS.invalidRole;
    return { status, failure: 'PrivilegeTooHigh' };
  }
  // Looking up by name and privilege finds the same user: no two have one name.
  if (privilege > Math.min(half.maxPrivilege, account.maxPrivilege))
    return { status: STATUS.unauthorizedRole, failure: 'PrivilegeTooHigh' };
  return { account, privilege };
}

/** Compares in constant time what can be of the same length. */
function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function printable(name: Buffer): string {
  return name.toString('latin1').replace(/[^\x20-\x7e]/g, '?');
}
