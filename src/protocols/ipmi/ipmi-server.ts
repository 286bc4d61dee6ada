import type { Bmc, Command } from './commands/command.ts';
import { BootOptions } from './commands/chassis/boot-options.ts';
import { COMMANDS } from './commands/command-list.ts';
import { type CommandOutcome, CommandTable } from './commands/command-table.ts';
import { decodeSessionlessPacket15, encodeSessionlessPacket15 } from './ipmi15/session-header.ts';
import { COMPLETION } from './message/completion-code.ts';
import { BMC_ADDRESS, decodeRequest, encodeResponse, type RequestMessage } from './message/lan-message.ts';
import type { IpmiObserver } from './observer.ts';
import { DEFAULT_BOOT_FLAG_TIMEOUT, DEFAULT_LIMITS, type IpmiServerOptions } from './options.ts';
import { PacketError } from './packet-error.ts';
import type { Peer } from './peer.ts';
import { ASF_TYPE, decodeAsf, encodePresencePong } from './rmcp/asf.ts';
import { decodeRmcpClass, RMCP_CLASS, RMCP_HEADER_LENGTH } from './rmcp/rmcp-header.ts';
import { AUTH_TYPE_RMCPPLUS, decodePacket, encodeSessionlessPacket, type Packet } from './rmcpplus/packet.ts';
import { PAYLOAD_TYPE } from './rmcpplus/payload-type.ts';
import { managedSessionId } from './rmcpplus/session-id.ts';
import { bmcKeyOf, ipmiUserOf, type IpmiUser } from './session/account.ts';
import { Handshake } from './session/handshake.ts';
import type { Session } from './session/session.ts';
import { SessionTable } from './session/session-table.ts';
import { systemGuid } from './system-guid.ts';

/** Datagrams to send back to where the packet came from, often none. */
export type Answer = Buffer[] | Promise<Buffer[]>;

const NOTHING: Buffer[] = [];

/**
 * The BMC of one machine as IPMI 2.0 over LAN sees it: datagrams in, datagrams out. It touches no socket and no clock.
 *
 * @example
 * const server = new IpmiServer({ machine, accounts, settings, time: Date.now, random: randomBytes, deviceInfo, cipherSuites: [17, 3] });
 * for (const datagram of await server.handle(received, { address, port }, performance.now())) send(datagram);
 */
export class IpmiServer {
  readonly #bmc: Bmc;
  readonly #commands = new CommandTable(COMMANDS);
  readonly #sessions: SessionTable;
  readonly #handshake: Handshake;
  readonly #observer: IpmiObserver;

  constructor(options: IpmiServerOptions) {
    const { machine, random, cipherSuites, deviceInfo } = options;
    const observer = options.observer ?? {};
    const bmcKey = (): Buffer | undefined => bmcKeyOf(options.bmcKey?.()) ?? undefined;
    const users = (): IpmiUser[] => {
      if (bmcKeyOf(options.bmcKey?.()) === null) return [];
      return options.accounts.list().flatMap((account) => ipmiUserOf(account) ?? []);
    };
    const guid = (): Buffer => systemGuid(options.guid ?? machine.identity().uuid);
    this.#observer = observer;
    this.#sessions = new SessionTable({
      ...limitsOf(options),
      random,
      onEnd: ({ user, peer }, reason) => observer.sessionEnded?.({ user, peer }, reason),
      onLapse: (half) => {
        this.#handshake.lapsed(half);
      },
    });
    this.#handshake = new Handshake({ sessions: this.#sessions, cipherSuites, users, bmcKey, guid, random, observer });
    this.#bmc = {
      machine,
      deviceInfo,
      cipherSuites,
      sessions: this.#sessions,
      bootOptions: new BootOptions(machine, options.bootFlagTimeout ?? DEFAULT_BOOT_FLAG_TIMEOUT),
      guid,
      hasBmcKey: () => bmcKey() !== undefined,
      accounts: options.accounts,
      settings: options.settings,
      time: options.time,
    };
  }

  /** Sessions that somebody is logged in with. */
  get sessionCount(): number {
    return this.#sessions.activeCount;
  }

  /**
   * Takes one datagram. Gives a promise where a command waits for the machine; other packets are handled meanwhile. Never
   * throws or rejects: what cannot be answered is told to the observer and gets no answer.
   *
   * @param now ms of a clock that never goes back
   */
  handle(datagram: Buffer, peer: Peer, now: number): Answer {
    try {
      const answer = this.#handle(datagram, peer, now);
      return answer instanceof Promise ? answer.catch((error: unknown) => this.#drop(error, peer)) : answer;
    } catch (error) {
      return this.#drop(error, peer);
    }
  }

  /** Ends sessions and handshakes that have been silent for too long; call it about once a second. */
  tick(now: number): void {
    this.#sessions.expire(now);
  }

  /**
   * Ends all sessions and handshakes, as after a change of the credentials or when it is to be served no longer. Log-ins that
   * would have been told as failed when their time is over are told so at once.
   */
  invalidateSessions(): void {
    this.#sessions.clear();
  }

  #handle(datagram: Buffer, peer: Peer, now: number): Answer {
    const messageClass = decodeRmcpClass(datagram);
    switch (messageClass) {
      case RMCP_CLASS.asf:
        return answerPing(datagram);
      case RMCP_CLASS.ipmi:
        return datagram[RMCP_HEADER_LENGTH] === AUTH_TYPE_RMCPPLUS
          ? this.#handlePacket(decodePacket(datagram), peer, now)
          : this.#answerPublic(decodeSessionlessPacket15(datagram), encodeSessionlessPacket15, peer, now);
      default:
        throw new PacketError('Unsupported', `RMCP class ${messageClass}`);
    }
  }

  #handlePacket(packet: Packet, peer: Peer, now: number): Answer {
    if (packet.sessionId !== 0) return this.#handleSessionPacket(packet, peer, now);
    const { payload, payloadType } = packet;
    if (packet.encrypted || packet.authenticated) {
      throw new PacketError('UnknownSession', 'secured packet outside of a session');
    }
    switch (payloadType) {
      case PAYLOAD_TYPE.ipmi: {
        const encode = (message: Buffer): Buffer => encodeSessionlessPacket(PAYLOAD_TYPE.ipmi, message);
        return this.#answerPublic(payload, encode, peer, now);
      }
      case PAYLOAD_TYPE.openSessionRequest:
        return answer(PAYLOAD_TYPE.openSessionResponse, this.#handshake.openSession(payload, peer, now));
      case PAYLOAD_TYPE.rakp1:
        return answer(PAYLOAD_TYPE.rakp2, this.#handshake.rakp1(payload, peer, now));
      case PAYLOAD_TYPE.rakp3:
        return answer(PAYLOAD_TYPE.rakp4, this.#handshake.rakp3(payload, peer, now));
      default:
        throw new PacketError('Unsupported', `payload type ${payloadType} outside of a session`);
    }
  }

  /** Outside of a session the public commands alone are served; others get no answer, which would only tell who asks. */
  #answerPublic(message: Buffer, encode: (message: Buffer) => Buffer, peer: Peer, now: number): Answer {
    const request = requestForUs(message);
    const command = this.#commands.find(request.netFn, request.command);
    if (command?.privilege !== 'None') {
      throw new PacketError(
        'Unauthenticated',
        `command ${hex(request.netFn)}/${hex(request.command)} without a session`,
      );
    }
    const outcome = this.#commands.execute(command, request, { bmc: this.#bmc, session: undefined, now });
    if (outcome instanceof Promise) throw new TypeError(`${command.name} is public and has to answer at once`);
    this.#completed(command, request, outcome, '', peer);
    return [encode(encodeResponse(request, outcome.completionCode, outcome.data))];
  }

  #handleSessionPacket(packet: Packet, peer: Peer, now: number): Answer {
    const session = this.#sessions.find(managedSessionId(packet.sessionId), now);
    if (session === undefined) throw new PacketError('UnknownSession', `session ${hex(packet.sessionId)} is not open`);
    const payload = session.channel.open(packet);
    session.lastActive = now;
    session.peer = peer;
    if (packet.payloadType !== PAYLOAD_TYPE.ipmi) {
      throw new PacketError('Unsupported', `payload type ${packet.payloadType} in a session`);
    }
    const request = requestForUs(payload);
    const before = session.retransmissions.find(request, now);
    if (before === 'running') throw new PacketError('Overloaded', 'retransmission of a request that runs');
    if (before !== undefined) return [session.channel.seal(PAYLOAD_TYPE.ipmi, before)];
    if (session.queue.isFull) throw new PacketError('Overloaded', 'too many requests wait in this session');
    return this.#runInSession(session, request, peer, now);
  }

  #runInSession(session: Session, request: RequestMessage, peer: Peer, now: number): Answer {
    const command = this.#commands.find(request.netFn, request.command);
    // Known from now on and not from its turn on: a retransmission may come while the request waits.
    const handled = session.retransmissions.begin(request, command?.repeatable === false, now);
    const finish = (outcome: CommandOutcome): Buffer[] => {
      this.#completed(command, request, outcome, session.user, peer);
      const response = encodeResponse(request, outcome.completionCode, outcome.data);
      handled(outcome.completionCode === COMPLETION.ok ? response : undefined);
      return [session.channel.seal(PAYLOAD_TYPE.ipmi, response)];
    };
    return session.queue.run<Buffer[]>(() => {
      if (!session.isOpen) return NOTHING;
      const outcome = this.#commands.execute(command, request, { bmc: this.#bmc, session, now });
      return outcome instanceof Promise ? outcome.then(finish) : finish(outcome);
    });
  }

  #completed(
    command: Command | undefined,
    { netFn, command: number }: RequestMessage,
    { completionCode, error }: CommandOutcome,
    user: string,
    peer: Peer,
  ): void {
    this.#observer.commandCompleted?.({
      name: command?.name,
      netFn,
      command: number,
      completionCode,
      user,
      peer,
      ...(error !== undefined && { error }),
    });
  }

  #drop(error: unknown, peer: Peer): Buffer[] {
    if (error instanceof PacketError) this.#observer.packetDropped?.(peer, error.code, error.message);
    else this.#observer.failed?.(error, 'handle a packet');
    return NOTHING;
  }
}

function answerPing(datagram: Buffer): Buffer[] {
  const { type, tag } = decodeAsf(datagram);
  if (type !== ASF_TYPE.presencePing) throw new PacketError('Unsupported', `ASF message type ${type}`);
  return [encodePresencePong(tag)];
}

function answer(payloadType: number, payload: Buffer | undefined): Buffer[] {
  return payload === undefined ? NOTHING : [encodeSessionlessPacket(payloadType, payload)];
}

function requestForUs(message: Buffer): RequestMessage {
  const request = decodeRequest(message);
  if (request.responderAddress !== BMC_ADDRESS) {
    throw new PacketError('Unsupported', `request for address ${hex(request.responderAddress)}`);
  }
  return request;
}

function limitsOf(options: IpmiServerOptions): typeof DEFAULT_LIMITS {
  return {
    maxSessions: options.maxSessions ?? DEFAULT_LIMITS.maxSessions,
    maxHalfOpen: options.maxHalfOpen ?? DEFAULT_LIMITS.maxHalfOpen,
    maxHalfOpenPerSource: options.maxHalfOpenPerSource ?? DEFAULT_LIMITS.maxHalfOpenPerSource,
    sessionTimeout: options.sessionTimeout ?? DEFAULT_LIMITS.sessionTimeout,
    halfOpenTimeout: options.halfOpenTimeout ?? DEFAULT_LIMITS.halfOpenTimeout,
  };
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`;
}
