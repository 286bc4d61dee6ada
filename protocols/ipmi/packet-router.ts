import { type Answer, NO_ANSWER, type Peer } from './datagram.ts';
import { hex, PacketError } from './packet-error.ts';
import type { IpmiMessages } from './ipmi-messages.ts';
import type { Login15 } from './ipmi15/login15.ts';
import {
  AUTH_TYPE_NONE,
  authTypeOf15,
  decodeSessionlessPacket15,
  encodeSessionlessPacket15,
  sessionIdOf15,
} from './ipmi15/session-header.ts';
import type { LanStatistics } from './lan-statistics.ts';
import type { PayloadHandler } from './payload-handler.ts';
import { ASF_TYPE, decodeAsf, decodeRmcpClass, encodePresencePong, RMCP_CLASS, RMCP_HEADER_LENGTH } from './rmcp.ts';
import {
  AUTH_TYPE_RMCPPLUS,
  decodeSessionlessPacket,
  encodeSessionlessPacket,
  PAYLOAD_TYPE,
  payloadTypeOf,
  sessionIdOf,
} from './rmcpplus/packet.ts';
import { managedSessionId } from './rmcpplus/session-id.ts';
import type { Handshake } from './session/handshake.ts';
import type { SessionTable } from './session/session-table.ts';

export interface PacketRouterOptions {
  sessions: SessionTable;
  handshake: Handshake;
  /** Undefined if IPMI 1.5 sessions are disabled. */
  login15: Login15 | undefined;
  messages: IpmiMessages;
  /** Handlers of session payloads by payload type; payloads of other types are dropped. */
  payloads: ReadonlyMap<number, PayloadHandler>;
  statistics: LanStatistics;
}

/** Routes a datagram to its handler by its headers. */
export class PacketRouter {
  readonly #options: PacketRouterOptions;

  constructor(options: PacketRouterOptions) {
    this.#options = options;
  }

  /** @throws PacketError for no answer */
  route(datagram: Buffer, peer: Peer, now: number): Answer {
    const messageClass = decodeRmcpClass(datagram);
    this.#options.statistics.validRmcp += 1;
    switch (messageClass) {
      case RMCP_CLASS.asf:
        return answerPing(datagram);
      case RMCP_CLASS.ipmi:
        return datagram[RMCP_HEADER_LENGTH] === AUTH_TYPE_RMCPPLUS
          ? this.#route20(datagram, peer, now)
          : this.#route15(datagram, peer, now);
      default:
        throw new PacketError('Unsupported', `RMCP class ${messageClass}`);
    }
  }

  #route15(datagram: Buffer, peer: Peer, now: number): Answer {
    const { login15, messages } = this.#options;
    if (login15 !== undefined && authTypeOf15(datagram) !== AUTH_TYPE_NONE) {
      const activated = login15.activate(datagram, peer, now);
      if (activated !== undefined) return [activated];
      return this.#routeInSession(datagram, sessionIdOf15(datagram), PAYLOAD_TYPE.ipmi, peer, now);
    }
    const response = messages.answerPublic(decodeSessionlessPacket15(datagram), peer, now);
    return [encodeSessionlessPacket15(response)];
  }

  #route20(datagram: Buffer, peer: Peer, now: number): Answer {
    const sessionId = sessionIdOf(datagram);
    if (sessionId !== 0) return this.#routeInSession(datagram, sessionId, payloadTypeOf(datagram), peer, now);
    const { handshake, messages } = this.#options;
    const { payloadType, payload } = decodeSessionlessPacket(datagram);
    switch (payloadType) {
      case PAYLOAD_TYPE.ipmi:
        return answer(PAYLOAD_TYPE.ipmi, messages.answerPublic(payload, peer, now));
      case PAYLOAD_TYPE.openSessionRequest:
        return answer(PAYLOAD_TYPE.openSessionResponse, handshake.openSession(payload, peer, now));
      case PAYLOAD_TYPE.rakp1:
        return answer(PAYLOAD_TYPE.rakp2, handshake.rakp1(payload, peer, now));
      case PAYLOAD_TYPE.rakp3:
        return answer(PAYLOAD_TYPE.rakp4, handshake.rakp3(payload, peer, now));
      default:
        throw new PacketError('Unsupported', `payload type ${payloadType} outside of a session`);
    }
  }

  #routeInSession(datagram: Buffer, sessionId: number, payloadType: number, peer: Peer, now: number): Answer {
    const session = this.#options.sessions.find(managedSessionId(sessionId), now);
    if (session === undefined) throw new PacketError('UnknownSession', `session ${hex(sessionId)} is not open`);
    const payload = session.channel.open(datagram);
    session.lastActive = now;
    session.peer = peer;
    const handler = this.#options.payloads.get(payloadType);
    if (handler === undefined) throw new PacketError('Unsupported', `payload type ${payloadType} in a session`);
    return handler.receive(session, payload, now);
  }
}

function answerPing(datagram: Buffer): Answer {
  const { type, tag } = decodeAsf(datagram);
  if (type !== ASF_TYPE.presencePing) throw new PacketError('Unsupported', `ASF message type ${type}`);
  return [encodePresencePong(tag)];
}

function answer(payloadType: number, payload: Buffer | undefined): Answer {
  return payload === undefined ? NO_ANSWER : [encodeSessionlessPacket(payloadType, payload)];
}
