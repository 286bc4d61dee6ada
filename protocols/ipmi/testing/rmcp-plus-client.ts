import { randomBytes } from 'node:crypto';
import { uint32 } from '../message/integers.ts';
import { decodeResponse, encodeRequest, type ResponseMessage } from '../message/lan-message.ts';
import { NET_FN, PRIVILEGE } from '../message/codes.ts';
import { type CipherSuite, cipherSuite, type CipherSuiteId } from '../rmcpplus/cipher-suite.ts';
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
import { decodeOpenSessionResponse, decodeRefusal, encodeOpenSessionRequest } from '../rmcpplus/open-session.ts';
import { decodeSessionlessPacket, encodeSessionlessPacket, PAYLOAD_TYPE } from '../rmcpplus/packet.ts';
import { decodeRakp2, decodeRakp4, encodeRakp1, encodeRakp3 } from '../rmcpplus/rakp.ts';
import { SecureChannel } from '../rmcpplus/secure-channel.ts';
import { type ConsoleSessionId, consoleSessionId, type ManagedSessionId } from '../rmcpplus/session-id.ts';
import { aRequest } from './a-request.ts';
import type { ClientTransport } from './transport.ts';

export interface LoginOptions {
  username: string;
  password: string;
  kg?: string;
  /** Default 17. */
  suite?: CipherSuiteId;
  /** Privilege level of RAKP 1; default Administrator. */
  privilege?: number;
  /** The whole role byte of RAKP 1; default: the privilege with name-only lookup. */
  role?: number;
}

export interface Rakp1Fields {
  username?: string;
  /** The whole role byte. */
  role?: number;
  consoleRandom?: Buffer;
}

/** The BMC refused a log-in or its code was wrong. */
class LoginRefused extends Error {
  override readonly name = 'LoginRefused';
  readonly step: 'Open Session' | 'RAKP 2' | 'RAKP 4';
  /** RMCP+ status; undefined if the BMC's code is wrong. */
  readonly status: number | undefined;

  constructor(step: LoginRefused['step'], status: number | undefined) {
    super(`${step}: ${status === undefined ? 'proof of the BMC is wrong' : `status 0x${status.toString(16)}`}`);
    this.step = step;
    this.status = status;
  }
}

export interface ClientSession {
  managedId: ManagedSessionId;
  consoleId: ConsoleSessionId;
  channel: SecureChannel;
  keys: KeyExchange;
}

const NAME_ONLY = 0x10;

/**
 * An RMCP+ client, independent of the server's session code, for tests, fuzzing and benchmarks. It checks all codes that a real client
 * checks.
 */
export class RmcpPlusClient {
  readonly #transport: ClientTransport;
  readonly #random: (size: number) => Buffer;
  #session: ClientSession | undefined;
  #sequence = 0;
  #tag = 0;

  constructor(transport: ClientTransport, random: (size: number) => Buffer = randomBytes) {
    this.#transport = transport;
    this.#random = random;
  }

  /** The session of {@link login}. */
  get session(): ClientSession {
    if (this.#session === undefined) throw new Error('log in first');
    return this.#session;
  }

  /** Opens a session without RAKP and returns its ID and suite. @throws LoginRefused */
  async open(
    suite: CipherSuite,
    maxPrivilege = 0,
  ): Promise<{ managedId: ManagedSessionId; consoleId: ConsoleSessionId; maxPrivilege: number }> {
    const consoleId = consoleSessionId(this.#random(4).readUInt32LE(0) || 1);
    const request = encodeOpenSessionRequest({ tag: this.#nextTag(), maxPrivilege, consoleId, ...suite });
    const answer = await this.sessionless(PAYLOAD_TYPE.openSessionRequest, request);
    requireSuccess('Open Session', answer);
    const response = decodeOpenSessionResponse(answer);
    return { managedId: response.managedId, consoleId, maxPrivilege: response.maxPrivilege };
  }

  /** The complete handshake. The session starts at level User; see {@link setPrivilege}. @throws LoginRefused */
  async login(options: LoginOptions): Promise<ClientSession> {
    const suite = cipherSuite(options.suite ?? 17);
    const { managedId, consoleId } = await this.open(suite);
    const role = options.role ?? (options.privilege ?? PRIVILEGE.administrator) | NAME_ONLY;
    const username = Buffer.from(options.username);
    const consoleRandom = this.#random(16);
    const rakp1 = encodeRakp1({ tag: this.#nextTag(), managedId, consoleRandom, role, username });
    const answer2 = await this.sessionless(PAYLOAD_TYPE.rakp1, rakp1);
    requireSuccess('RAKP 2', answer2);
    const { managedRandom, guid, authCode } = decodeRakp2(answer2);
    const keys: KeyExchange = {
      suite,
      consoleId,
      managedId,
      consoleRandom,
      managedRandom,
      guid,
      roleAndName: roleAndName({ role, username }),
      userCodes: new Hmac(suite, Buffer.from(options.password)),
      bmcCodes: options.kg === undefined ? undefined : new Hmac(suite, Buffer.from(options.kg)),
    };
    if (!authCode.equals(rakp2AuthCode(keys))) throw new LoginRefused('RAKP 2', undefined);
    this.#session = await this.#finish(keys);
    return this.#session;
  }

  /** Sends RAKP 3 without checking RAKP 2, as an attacker without the password does. @throws LoginRefused */
  async loginBlindly(options: LoginOptions): Promise<void> {
    const suite = cipherSuite(options.suite ?? 17);
    const { managedId } = await this.open(suite);
    const { username } = options;
    requireSuccess('RAKP 2', await this.rakp1(managedId, { username, consoleRandom: this.#random(16) }));
    const rakp3 = encodeRakp3({ tag: 2, status: 0, managedId, authCode: this.#random(suite.digestLength) });
    requireSuccess('RAKP 4', await this.sessionless(PAYLOAD_TYPE.rakp3, rakp3));
  }

  /** Sends RAKP 1 and returns the payload of the response. The session does not continue with it. */
  async rakp1(managedId: ManagedSessionId, fields: Rakp1Fields = {}): Promise<Buffer> {
    const { username = 'admin', role = PRIVILEGE.administrator | NAME_ONLY, consoleRandom = Buffer.alloc(16) } = fields;
    const message = encodeRakp1({ tag: 9, managedId, consoleRandom, role, username: Buffer.from(username) });
    return await this.sessionless(PAYLOAD_TYPE.rakp1, message);
  }

  async setPrivilege(level: number): Promise<ResponseMessage> {
    return await this.command(NET_FN.app, 0x3b, Buffer.of(level));
  }

  /** Closes the session. */
  async logout(): Promise<ResponseMessage> {
    return await this.command(NET_FN.app, 0x3c, uint32(this.session.managedId));
  }

  /** Sends a command in the session. @throws Error without a response */
  async command(netFn: number, command: number, data: Buffer = Buffer.alloc(0)): Promise<ResponseMessage> {
    const response = await this.exchange(this.seal(netFn, command, data));
    if (response === undefined) throw new Error(`no answer to command ${netFn}/${command}`);
    return response;
  }

  /** Encodes the datagram of a command; `sequence` repeats an earlier IPMI sequence number. */
  seal(netFn: number, command: number, data: Buffer = Buffer.alloc(0), sequence = this.nextSequence()): Buffer {
    return this.session.channel.seal(PAYLOAD_TYPE.ipmi, requestMessage(netFn, command, data, sequence));
  }

  /** Sends a datagram unchanged and returns the decoded response. */
  async exchange(datagram: Buffer): Promise<ResponseMessage | undefined> {
    const answer = await this.#transport.exchange(datagram);
    return answer === undefined ? undefined : decodeResponse(this.session.channel.open(answer));
  }

  /** Sends a payload outside of a session and returns the response payload. @throws Error without a response */
  async sessionless(payloadType: number, payload: Buffer): Promise<Buffer> {
    const answer = await this.#transport.exchange(encodeSessionlessPacket(payloadType, payload));
    if (answer === undefined) throw new Error(`no answer to payload type ${payloadType}`);
    return decodeSessionlessPacket(answer).payload;
  }

  /** Sends a command outside of a session. */
  async publicCommand(netFn: number, command: number, data: Buffer): Promise<ResponseMessage> {
    const message = requestMessage(netFn, command, data, this.nextSequence());
    return decodeResponse(await this.sessionless(PAYLOAD_TYPE.ipmi, message));
  }

  /** IPMI sequence numbers have 6 bits. */
  nextSequence(): number {
    this.#sequence = (this.#sequence + 1) % 64;
    return this.#sequence;
  }

  async #finish(keys: KeyExchange): Promise<ClientSession> {
    const { suite, managedId, consoleId } = keys;
    const authCode = rakp3AuthCode(keys);
    const rakp3 = encodeRakp3({ tag: this.#nextTag(), status: 0, managedId, authCode });
    const answer = await this.sessionless(PAYLOAD_TYPE.rakp3, rakp3);
    requireSuccess('RAKP 4', answer);
    const codes = sessionCodes(keys);
    if (!decodeRakp4(answer).integrityCheck.equals(rakp4IntegrityCheck(keys, codes))) {
      throw new LoginRefused('RAKP 4', undefined);
    }
    const channel = new SecureChannel({
      suite,
      keys: sessionKeys(codes),
      remoteId: managedId,
      random: this.#random,
    });
    return { managedId, consoleId, channel, keys };
  }

  #nextTag(): number {
    this.#tag = (this.#tag + 1) % 256;
    return this.#tag;
  }
}

function requestMessage(netFn: number, command: number, data: Buffer, sequence: number): Buffer {
  return encodeRequest(aRequest({ netFn, command, data, sequence }));
}

function requireSuccess(step: LoginRefused['step'], payload: Buffer): void {
  const { status } = decodeRefusal(payload);
  if (status !== 0) throw new LoginRefused(step, status);
}
