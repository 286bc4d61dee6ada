import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { formatIpv4, parseIpv4 } from '../../../api/index.ts';
import {
  BOOT_REQUEST,
  decodeMessage,
  decodeU32,
  encodeMessage,
  encodeText,
  encodeU32,
  formatOption,
  MESSAGE_TYPE,
  messageTypeName,
  OPTION,
  optionOf,
  type DhcpMessage,
  type EncodedOption,
} from '../../../protocols/dhcp/index.ts';
import { macText } from './network-scene.ts';

/** A DHCP agent on loopback. */
export interface Questioned {
  port: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Number of handled datagrams, answered or not. */
  handled(): Promise<number>;
}

/** An answer in readable form. */
export interface Answer {
  /** `OFFER`, `ACK` or `NAK`. */
  type: string;
  address: string;
  server: string;
  message: DhcpMessage;
  option(code: number): string | undefined;
}

export interface Question {
  /** Index in `02:00:00:00:00:<index>`. */
  index: number;
  type: 'discover' | 'request' | 'decline' | 'release' | 'inform';
  /** Option 50. */
  requested?: string;
  /** Option 54. */
  server?: string;
  /** ciaddr. */
  own?: string;
  hostname?: string;
  vendorClass?: string;
}

/**
 * Sends agents one request at a time over UDP. The agent's count of datagrams distinguishes no answer from a slow
 * answer.
 */
export class Questioner {
  readonly #socket: Socket;
  #xid = 1;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Opens a socket that is closed at the end of the test file. */
  static async open(): Promise<Questioner> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    afterAll(() => {
      socket.close();
    });
    return new Questioner(socket);
  }

  /** The agent's answer; undefined if it has handled the request without an answer. */
  async ask(agent: Questioned, question: Question): Promise<Answer | undefined> {
    const xid = this.#xid++;
    const answers: DhcpMessage[] = [];
    const take = (datagram: Buffer): void => {
      const message = decodeMessage(datagram);
      if (message.xid === xid) answers.push(message);
    };
    this.#socket.on('message', take);
    try {
      const before = await agent.handled();
      this.#socket.send(encodeQuestion(question, xid), agent.port, agent.host ?? '127.0.0.1');
      for (let tries = 0; tries < 500; tries += 1) {
        // The answer is sent before the count increases.
        const seen = (await agent.handled()) > before;
        for (let turns = 0; turns < 3; turns += 1) await turn();
        const [answer] = answers;
        if (answer !== undefined) return inWords(answer);
        if (seen) return undefined;
        await sleep(10);
      }
      throw new Error('the agent does not see what is asked');
    } finally {
      this.#socket.off('message', take);
    }
  }

  /** DISCOVER and REQUEST; returns the last answer. */
  async lease(
    agent: Questioned,
    index: number,
    says: Pick<Question, 'hostname' | 'vendorClass'> = {},
  ): Promise<Answer | undefined> {
    const offer = await this.ask(agent, { ...says, index, type: 'discover' });
    if (offer?.type !== 'OFFER') return offer;
    return await this.ask(agent, { ...says, index, type: 'request', requested: offer.address, server: offer.server });
  }
}

function encodeQuestion({ index, type, requested, server, own, hostname, vendorClass }: Question, xid: number): Buffer {
  const address = (text: string): number => parseIpv4(text) ?? 0;
  const options: EncodedOption[] = [{ code: OPTION.messageType, value: Uint8Array.of(MESSAGE_TYPE[type]) }];
  if (requested !== undefined) options.push({ code: OPTION.requestedAddress, value: encodeU32(address(requested)) });
  if (server !== undefined) options.push({ code: OPTION.serverIdentifier, value: encodeU32(address(server)) });
  if (hostname !== undefined) options.push({ code: OPTION.hostName, value: encodeText(hostname) });
  if (vendorClass !== undefined) options.push({ code: OPTION.vendorClass, value: encodeText(vendorClass) });
  options.push({ code: OPTION.parameterRequestList, value: Uint8Array.of(1, 3, 6, 42, 51, 54, 66, 67) });
  const macAddress = Number.parseInt(macText(index).replaceAll(':', ''), 16);
  return encodeMessage({ op: BOOT_REQUEST, macAddress, xid, ciaddr: own === undefined ? 0 : address(own), options });
}

function inWords(message: DhcpMessage): Answer {
  const number = (code: number): number => {
    const value = optionOf(message, code);
    return value === undefined ? 0 : (decodeU32(value) ?? 0);
  };
  return {
    type: messageTypeName(optionOf(message, OPTION.messageType)?.[0] ?? 0),
    address: formatIpv4(message.yiaddr),
    server: formatIpv4(number(OPTION.serverIdentifier)),
    message,
    option(code) {
      const value = optionOf(message, code);
      return value === undefined ? undefined : formatOption(code, value);
    },
  };
}
