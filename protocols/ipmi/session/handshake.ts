import { OEM_PRIVILEGE, PRIVILEGE, type Privilege, privilegeOf } from '../message/codes.ts';
import type { IpmiObserver, LoginFailure } from '../observer.ts';
import { PacketError } from '../packet-error.ts';
import type { Peer } from '../datagram.ts';
import { type CipherSuiteId, matchCipherSuite } from '../rmcpplus/cipher-suite.ts';
import { Hmac } from '../rmcpplus/hmac.ts';
import {
  type KeyExchange,
  rakp2AuthCode,
  rakp3AuthCode,
  rakp4IntegrityCheck,
  roleAndName,
  sessionCodes,
  sessionKeys,
} from '../rmcpplus/keys.ts';
import {
  decodeOpenSessionRequest,
  encodeOpenSessionResponse,
  encodeRefusal,
  STATUS,
  type StatusCode,
} from '../rmcpplus/open-session.ts';
import {
  decodeRakp1,
  decodeRakp3,
  encodeRakp2,
  encodeRakp4,
  MAX_USERNAME_BYTES,
  type Rakp1,
  type Rakp3,
} from '../rmcpplus/rakp.ts';
import { SecureChannel } from '../rmcpplus/secure-channel.ts';
import { consoleSessionId } from '../rmcpplus/session-id.ts';
import { type IpmiUser, isEqual, isStillGranted, printable } from './account.ts';
import type { Denial, Exchange, HalfOpenSession } from './half-open-session.ts';
import type { LoginAttempt, LoginGuard } from '../../logins/index.ts';
import type { Lapse, SessionTable } from './session-table.ts';

export interface HandshakeOptions {
  sessions: SessionTable;
  guard: LoginGuard;
  cipherSuites: readonly CipherSuiteId[];
  /** The users that may log in now. */
  users: () => readonly IpmiUser[];
  /** Delays every user-related refusal to the step of a wrong password. */
  hideUserNames: boolean;
  /** K_G, if the BMC has one. */
  bmcKey: () => Buffer | undefined;
  guid: () => Buffer;
  random: (size: number) => Buffer;
  observer: IpmiObserver;
}

const RANDOM_LENGTH = 16;
/** Length of a random key that replaces the password of an unknown user. */
const NO_USER_KEY_LENGTH = 20;
const ROLE_PRIVILEGE_MASK = 0x0f;
const NO_CONSOLE = consoleSessionId(0);

const UNKNOWN_USER: Denial = { status: STATUS.unauthorizedName, failure: 'UnknownUser' };
const LOCKED_OUT: Denial = { status: STATUS.unauthorizedName, failure: 'LockedOut' };
const PRIVILEGE_TOO_HIGH: Denial = { status: STATUS.unauthorizedRole, failure: 'PrivilegeTooHigh' };

/**
 * The RMCP+ log-in, IPMI 2.0 §13.15: Open Session, then RAKP 1 to 4. Each function takes a payload and returns the response
 * payload, or undefined for no response.
 *
 * @throws PacketError for malformed payloads
 */
export class Handshake {
  readonly #options: HandshakeOptions;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  openSession(payload: Buffer, peer: Peer, now: number): Buffer {
    const { sessions, cipherSuites } = this.#options;
    const request = decodeOpenSessionRequest(payload);
    if ('status' in request) return encodeRefusal(request);
    const refuse = (status: StatusCode): Buffer =>
      encodeRefusal({ tag: request.tag, status, consoleId: request.consoleId });
    if (request.consoleId === 0) return refuse(STATUS.invalidSessionId);
    if (request.maxPrivilege > OEM_PRIVILEGE) return refuse(STATUS.invalidRole);
    const suite = matchCipherSuite(request, cipherSuites);
    if (suite === undefined) return refuse(STATUS.noCipherSuiteMatch);
    if (sessions.isFull) return refuse(STATUS.insufficientResources);
    // FreeIPMI requests 0, "highest", and aborts unless the response contains a level.
    const maxPrivilege = privilegeOf(request.maxPrivilege) ?? PRIVILEGE.administrator;
    const half = sessions.begin({ consoleId: request.consoleId, suite, maxPrivilege, peer, openedAt: now });
    return encodeOpenSessionResponse({ ...request, maxPrivilege, managedId: half.id, suite });
  }

  /** @throws PacketError `Overloaded` if the client must retry later */
  rakp1(payload: Buffer, peer: Peer, now: number): Buffer {
    const message = decodeRakp1(payload);
    const half = this.#options.sessions.halfOpen(message.managedId, now);
    if (half === undefined) {
      return encodeRefusal({ tag: message.tag, status: STATUS.invalidSessionId, consoleId: NO_CONSOLE });
    }
    if (half.exchange !== undefined && isSame(half.exchange.keys, message)) return encodeProof(message, half.exchange);
    const user = printable(message.username);
    const refuse = ({ status, failure }: Denial): Buffer => {
      this.#options.sessions.abandon(half);
      half.exchange?.attempt?.failed();
      this.#failed(half, user, peer, failure);
      return encodeRefusal({ tag: message.tag, status, consoleId: half.consoleId });
    };
    const wish = wishOf(message, half);
    if ('status' in wish) return refuse(wish);
    const verdict = this.#evaluate(message, wish.privilege, half, now);
    if (verdict.denial !== undefined && !this.#options.hideUserNames) return refuse(verdict.denial);
    if (verdict.attempt !== half.exchange?.attempt) half.exchange?.attempt?.failed();
    half.exchange = { keys: this.#keys(message, half, verdict.account), ...wish, user, ...verdict };
    return encodeProof(message, half.exchange);
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
      this.lapsed(half, 'Expired', peer);
      return undefined;
    }
    const refuse = (status: StatusCode, failure: LoginFailure): Buffer => {
      sessions.abandon(half);
      if (failure === 'WrongPassword') exchange.attempt?.failed();
      this.#failed(half, exchange.user, peer, failure);
      return encodeRefusal({ tag: message.tag, status, consoleId: half.consoleId });
    };
    if (!isEqual(message.authCode, rakp3AuthCode(exchange.keys)) || !this.#isUpToDate(exchange)) {
      return refuse(STATUS.invalidIntegrityCheckValue, failureOf(exchange));
    }
    const { account, denial } = exchange;
    exchange.attempt?.succeeded();
    if (account === undefined || denial !== undefined) {
      return refuse(denial?.status ?? STATUS.unauthorizedName, denial?.failure ?? 'UnknownUser');
    }
    if (sessions.isFull) return refuse(STATUS.insufficientResources, 'NoSlot');
    return this.#activate(message, half, exchange, account, peer, now);
  }

  /**
   * Handles an abandoned handshake. After RAKP 2 it counts as a failed log-in: the client has a different password, or collects codes
   * to guess the password offline (CVE-2013-4786). A displaced handshake does not count for a lockout: otherwise a flood of handshakes
   * from elsewhere could lock out clients.
   */
  lapsed(half: HalfOpenSession, why: Lapse, peer: Peer = half.peer): void {
    const { exchange } = half;
    if (exchange === undefined) return;
    if (why === 'Expired') exchange.attempt?.failed();
    else exchange.attempt?.withdrawn();
    this.#failed(half, exchange.user, peer, failureOf(exchange));
  }

  /**
   * Finds the user of RAKP 1. Names are unique and not empty, so lookup by name and privilege gives the same user as by name, and the
   * null user is unknown. An attempt counts for the source of Open Session, which received the session ID: later packets may have a
   * forged source address.
   */
  #evaluate(
    message: Rakp1,
    privilege: Privilege,
    half: HalfOpenSession,
    now: number,
  ): Pick<Exchange, 'account' | 'attempt' | 'denial'> {
    const { guard, hideUserNames, users } = this.#options;
    const account = users().find(({ name }) => isEqual(message.username, name));
    if (account === undefined) return { account, attempt: undefined, denial: UNKNOWN_USER };
    const denial = privilege > account.maxPrivilege ? PRIVILEGE_TOO_HIGH : undefined;
    if (denial !== undefined && !hideUserNames) return { account, attempt: undefined, denial };
    const attempt = attemptOf(half, account) ?? guard.admit(account.account.id, half.peer.address, now);
    if (attempt === 'Throttled' && !hideUserNames) {
      throw new PacketError('Overloaded', 'too many attempts to log in as this user');
    }
    if (typeof attempt === 'string') return { account: undefined, attempt: undefined, denial: LOCKED_OUT };
    return { account, attempt, ...(denial && { denial }) };
  }

  #activate(
    message: Rakp3,
    half: HalfOpenSession,
    { keys, privilege, user }: Exchange,
    { account }: IpmiUser,
    peer: Peer,
    now: number,
  ): Buffer {
    const codes = sessionCodes(keys);
    const rakp4 = encodeRakp4({
      tag: message.tag,
      consoleId: half.consoleId,
      integrityCheck: rakp4IntegrityCheck(keys, codes),
    });
    this.#options.sessions.activate(half, {
      user,
      account,
      maxPrivilege: privilege,
      channel: new SecureChannel({
        suite: half.suite,
        keys: sessionKeys(codes),
        remoteId: half.consoleId,
        random: this.#options.random,
      }),
      opening: { proof: Buffer.from(message.authCode), answer: rakp4 },
      peer,
      now,
    });
    this.#options.observer.loginSucceeded?.({ user, peer, cipherSuite: half.suite.id });
    return rakp4;
  }

  /** Repeats a lost RAKP 4 for a retransmitted RAKP 3. */
  #repeatRakp4(message: Rakp3, now: number): Buffer {
    const session = this.#options.sessions.find(message.managedId, now);
    if (session?.isRmcpPlus === true && isEqual(message.authCode, session.opening.proof)) return session.opening.answer;
    return encodeRefusal({ tag: message.tag, status: STATUS.invalidSessionId, consoleId: NO_CONSOLE });
  }

  #keys(message: Rakp1, half: HalfOpenSession, account: IpmiUser | undefined): KeyExchange {
    const { random, guid, bmcKey } = this.#options;
    const key = bmcKey();
    return {
      suite: half.suite,
      consoleId: half.consoleId,
      managedId: half.id,
      consoleRandom: Buffer.from(message.consoleRandom),
      managedRandom: random(RANDOM_LENGTH),
      guid: guid(),
      roleAndName: roleAndName(message),
      userCodes: new Hmac(half.suite, account?.userKey ?? random(NO_USER_KEY_LENGTH)),
      bmcCodes: key === undefined ? undefined : new Hmac(half.suite, key),
    };
  }

  /** Whether the account is unchanged since RAKP 2. */
  #isUpToDate({ account, denial, privilege }: Exchange): boolean {
    if (account === undefined || denial !== undefined) return true;
    const accounts = this.#options.users().map((user) => user.account);
    return isStillGranted(account.account, privilege, accounts);
  }

  #failed(half: HalfOpenSession, user: string, peer: Peer, reason: LoginFailure): void {
    this.#options.observer.loginFailed?.({ user, peer, cipherSuite: half.suite.id }, reason);
  }
}

/** The request of RAKP 1, or its error independent of the user. */
function wishOf(message: Rakp1, half: HalfOpenSession): { privilege: Privilege } | Denial {
  if (message.nameLength > MAX_USERNAME_BYTES) return { status: STATUS.invalidNameLength, failure: 'UnknownUser' };
  const role = message.role & ROLE_PRIVILEGE_MASK;
  const privilege = privilegeOf(role);
  if (privilege === undefined) {
    const status = role === OEM_PRIVILEGE ? STATUS.unauthorizedRole : STATUS.invalidRole;
    return { status, failure: 'PrivilegeTooHigh' };
  }
  return privilege > half.maxPrivilege ? PRIVILEGE_TOO_HIGH : { privilege };
}

/** A retransmitted RAKP 1 gets the same response, so the client may continue with either. */
function isSame(keys: KeyExchange, message: Rakp1): boolean {
  return keys.consoleRandom.equals(message.consoleRandom) && keys.roleAndName.equals(roleAndName(message));
}

/** The login attempt that the guard has already admitted for this handshake. */
function attemptOf({ exchange }: HalfOpenSession, account: IpmiUser): LoginAttempt | undefined {
  return exchange?.account?.account.id === account.account.id ? exchange.attempt : undefined;
}

function encodeProof({ tag }: Rakp1, { keys }: Exchange): Buffer {
  return encodeRakp2({
    tag,
    consoleId: keys.consoleId,
    managedRandom: keys.managedRandom,
    guid: keys.guid,
    authCode: rakp2AuthCode(keys),
  });
}

/** The failure to report for a wrong or missing code. */
function failureOf({ account, denial }: Exchange): LoginFailure {
  return account === undefined && denial !== undefined ? denial.failure : 'WrongPassword';
}
