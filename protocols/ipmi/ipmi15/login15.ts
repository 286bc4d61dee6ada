import { hex, PacketError } from '../packet-error.ts';
import { COMPLETION, CompletionError, NET_FN, type Privilege, privilegeOf } from '../message/codes.ts';
import { BMC_ADDRESS, decodeRequest, encodeResponse, type RequestMessage } from '../message/lan-message.ts';
import type { IpmiObserver, LoginFailure } from '../observer.ts';
import type { Peer } from '../datagram.ts';
import { PAYLOAD_TYPE } from '../rmcpplus/packet.ts';
import { managedSessionId } from '../rmcpplus/session-id.ts';
import { type IpmiUser, isEqual, printable } from '../session/account.ts';
import type { ChallengedSession } from '../session/half-open-session.ts';
import type { LoginAttempt, LoginGuard } from '../../logins/index.ts';
import type { SessionTable } from '../session/session-table.ts';
import {
  AUTH_TYPE_MD5,
  type AuthenticatedPacket,
  decodeAuthenticatedPacket,
  encodeAuthenticatedPacket,
  isGenuine,
  MAX_PASSWORD_BYTES_15,
} from './authenticated-packet.ts';
import { Channel15 } from './channel15.ts';

export interface Login15Options {
  sessions: SessionTable;
  guard: LoginGuard;
  /** The users that may log in now. */
  users: () => readonly IpmiUser[];
  /** Sends a challenge for unknown users too. */
  hideUserNames: boolean;
  random: (size: number) => Buffer;
  observer: IpmiObserver;
}

const ACTIVATE_SESSION = 0x3a;
const ACTIVATE_SESSION_LENGTH = 22;
const CHALLENGE_LENGTH = 16;

/** Completion codes of Get Session Challenge, IPMI 2.0 §22.16. */
const INVALID_USER_NAME = 0x81;
const NULL_USER_NOT_ENABLED = 0x82;
/** Completion codes of Activate Session, IPMI 2.0 §22.17. */
const NO_SESSION_SLOT = 0x81;
const SEQUENCE_OUT_OF_RANGE = 0x84;
const EXCEEDS_PRIVILEGE = 0x86;

/** Request data of Activate Session. */
interface Wish {
  privilege: Privilege;
  outboundStart: number;
}

/**
 * The IPMI 1.5 log-in, IPMI 2.0 §6.12.2: Get Session Challenge, then Activate Session in a packet with MD5 authentication. Other
 * authentication types and passwords over 16 bytes are not supported.
 */
export class Login15 {
  readonly #options: Login15Options;

  constructor(options: Login15Options) {
    this.#options = options;
  }

  /**
   * Answers Get Session Challenge.
   *
   * @param name 16 bytes, padded with zeros
   * @returns temporary session ID and challenge
   * @throws CompletionError
   */
  challenge(authenticationType: number, name: Buffer, peer: Peer, now: number): Buffer {
    const { sessions, hideUserNames, random, observer } = this.#options;
    if (authenticationType !== AUTH_TYPE_MD5) {
      throw new CompletionError(COMPLETION.invalidField, `authentication type ${authenticationType} is not enabled`);
    }
    const padding = name.indexOf(0);
    const trimmed = Buffer.from(padding === -1 ? name : name.subarray(0, padding));
    if (trimmed.length === 0) throw new CompletionError(NULL_USER_NOT_ENABLED, 'the null user is not enabled');
    if (this.#userOf(trimmed) === undefined && !hideUserNames) {
      observer.loginFailed?.({ user: printable(trimmed), peer, cipherSuite: undefined }, 'UnknownUser');
      throw new CompletionError(INVALID_USER_NAME, 'no such user may log in with IPMI 1.5');
    }
    const challenge = random(CHALLENGE_LENGTH);
    const { id } = sessions.beginChallenged({ challenge, name: trimmed, peer, openedAt: now });
    const answer = Buffer.alloc(4 + CHALLENGE_LENGTH);
    answer.writeUInt32LE(id, 0);
    challenge.copy(answer, 4);
    return answer;
  }

  /**
   * Answers Activate Session.
   *
   * @returns the answer; undefined if the datagram belongs to no challenge, and may be a packet of a session
   * @throws PacketError for no answer, such as for a wrong password
   */
  activate(datagram: Buffer, peer: Peer, now: number): Buffer | undefined {
    const packet = decodeAuthenticatedPacket(datagram);
    const half = this.#options.sessions.challenged(managedSessionId(packet.sessionId), now);
    if (half === undefined) return this.#repeated(packet, now);
    const request = decodeRequest(packet.payload);
    if (request.netFn !== NET_FN.app || request.command !== ACTIVATE_SESSION) {
      throw new PacketError('Unauthenticated', `command ${hex(request.command)} before Activate Session`);
    }
    if (request.responderAddress !== BMC_ADDRESS)
      throw new PacketError('Unsupported', 'request for another responder address');
    const user = this.#prove(packet, half, peer, now);
    try {
      return this.#open(packet, request, half, user, peer, now);
    } catch (error) {
      if (!(error instanceof CompletionError)) throw error;
      const payload = encodeResponse(request, error.completionCode, Buffer.alloc(0));
      return encodeAuthenticatedPacket(user.userKey, { sessionId: packet.sessionId, sequence: 0, payload });
    }
  }

  /** The user with the password of this packet. @throws PacketError */
  #prove(packet: AuthenticatedPacket, half: ChallengedSession, peer: Peer, now: number): IpmiUser {
    const user = this.#userOf(half.name);
    // Counts for the source of the challenge: the source address of this packet may be forged to lock out another client.
    const attempt = user === undefined ? undefined : this.#options.guard.admit(user.account.id, half.peer.address, now);
    if (attempt === 'Throttled') throw new PacketError('Overloaded', 'too many attempts to log in as this user');
    // One attempt per challenge.
    this.#options.sessions.abandon(half);
    if (user === undefined) throw this.#refused(half, peer, 'UnknownUser');
    if (attempt === 'LockedOut') throw this.#refused(half, peer, 'LockedOut');
    if (!isGenuine(user.userKey, packet)) throw this.#refused(half, peer, 'WrongPassword', attempt);
    attempt?.succeeded();
    return user;
  }

  #open(
    packet: AuthenticatedPacket,
    request: RequestMessage,
    half: ChallengedSession,
    { account, maxPrivilege, userKey }: IpmiUser,
    peer: Peer,
    now: number,
  ): Buffer {
    const { sessions, random, observer } = this.#options;
    const user = printable(half.name);
    const refuse = (failure: LoginFailure, completionCode: number): CompletionError => {
      observer.loginFailed?.({ user, peer, cipherSuite: undefined }, failure);
      return new CompletionError(completionCode, `log-in refused: ${failure}`);
    };
    const { privilege, outboundStart } = decodeWish(request.data, half.challenge);
    if (privilege > maxPrivilege) throw refuse('PrivilegeTooHigh', EXCEEDS_PRIVILEGE);
    if (sessions.isFull) throw refuse('NoSlot', NO_SESSION_SLOT);
    const inboundStart = random(4).readUInt32LE(0) || 1;
    const channel = new Channel15({ sessionId: half.id, password: userKey, inboundStart, outboundStart });
    const answer = channel.seal(
      PAYLOAD_TYPE.ipmi,
      encodeResponse(request, COMPLETION.ok, encodeActivated(half.id, inboundStart, privilege)),
    );
    sessions.activate(half, {
      user,
      account,
      maxPrivilege: privilege,
      channel,
      opening: { proof: Buffer.from(packet.authCode), answer },
      isRmcpPlus: false,
      peer,
      now,
    });
    observer.loginSucceeded?.({ user, peer, cipherSuite: undefined });
    return answer;
  }

  /** Repeats a lost response for a retransmitted request. */
  #repeated(packet: AuthenticatedPacket, now: number): Buffer | undefined {
    const session = this.#options.sessions.find(managedSessionId(packet.sessionId), now);
    const isRepeated = session?.isRmcpPlus === false && isEqual(packet.authCode, session.opening.proof);
    return isRepeated ? session.opening.answer : undefined;
  }

  #userOf(name: Buffer): IpmiUser | undefined {
    return this.#options
      .users()
      .find((user) => isEqual(user.name, name) && user.userKey.length <= MAX_PASSWORD_BYTES_15);
  }

  #refused(half: ChallengedSession, peer: Peer, failure: LoginFailure, attempt?: LoginAttempt): PacketError {
    attempt?.failed();
    const user = printable(half.name);
    this.#options.observer.loginFailed?.({ user, peer, cipherSuite: undefined }, failure);
    return new PacketError('Unauthenticated', 'log-in with IPMI 1.5 refused');
  }
}

function decodeWish(data: Buffer, challenge: Buffer): Wish {
  if (data.length !== ACTIVATE_SESSION_LENGTH) {
    throw new CompletionError(COMPLETION.invalidLength, `Activate Session takes ${ACTIVATE_SESSION_LENGTH} bytes`);
  }
  const privilege = privilegeOf(data.readUInt8(1) & 0x0f);
  const outboundStart = data.readUInt32LE(18);
  if (data.readUInt8(0) !== AUTH_TYPE_MD5 || privilege === undefined || !isEqual(data.subarray(2, 18), challenge)) {
    throw new CompletionError(COMPLETION.invalidField, 'wrong authentication type, privilege level or challenge');
  }
  if (outboundStart === 0) throw new CompletionError(SEQUENCE_OUT_OF_RANGE, 'sequence numbers start at 1 or above');
  return { privilege, outboundStart };
}

function encodeActivated(sessionId: number, inboundStart: number, privilege: Privilege): Buffer {
  const data = Buffer.alloc(10);
  data.writeUInt8(AUTH_TYPE_MD5, 0);
  data.writeUInt32LE(sessionId, 1);
  data.writeUInt32LE(inboundStart, 5);
  data.writeUInt8(privilege, 9);
  return data;
}
