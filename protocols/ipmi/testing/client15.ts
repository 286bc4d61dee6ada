import { decodeAuthenticatedPacket, encodeAuthenticatedPacket, isGenuine } from '../ipmi15/authenticated-packet.ts';
import { decodeSessionlessPacket15, encodeSessionlessPacket15 } from '../ipmi15/session-header.ts';
import { decodeResponse, encodeRequest, type ResponseMessage } from '../message/lan-message.ts';
import { NET_FN } from '../message/codes.ts';
import { aRequest } from './a-request.ts';
import type { ClientTransport } from './transport.ts';

export interface Login15 {
  username: string;
  password: string;
  /** Default Administrator. */
  privilege?: number;
}

const MD5 = 0x02;
const OUTBOUND_START = 0x100;

/** A client of IPMI 1.5 sessions, as `ipmitool -I lan`; written from the specification, independent of the tested code. */
export class Client15 {
  readonly #transport: ClientTransport;
  #password = Buffer.alloc(0);
  sessionId = 0;
  /** Sequence number of the next packet. */
  sequence = 0;
  /** Sequence number of the last received packet. */
  received = 0;

  constructor(transport: ClientTransport) {
    this.#transport = transport;
  }

  /** Sends Get Session Challenge and returns the response. */
  async challenge(username: string, authenticationType = MD5): Promise<ResponseMessage> {
    const data = Buffer.alloc(17);
    data.writeUInt8(authenticationType, 0);
    Buffer.from(username).copy(data, 1);
    const answer = await this.#transport.exchange(encodeSessionlessPacket15(request(NET_FN.app, 0x39, data)));
    if (answer === undefined) throw new Error('no answer to Get Session Challenge');
    return decodeResponse(decodeSessionlessPacket15(answer));
  }

  /** Logs in. @returns the completion code of Activate Session; undefined without a response */
  async login({ username, password, privilege = 4 }: Login15): Promise<number | undefined> {
    const challenged = await this.challenge(username);
    if (challenged.completionCode !== 0) return challenged.completionCode;
    this.sessionId = challenged.data.readUInt32LE(0);
    this.sequence = 0;
    this.#password = Buffer.from(password);
    const data = Buffer.concat([Buffer.of(MD5, privilege), challenged.data.subarray(4), Buffer.alloc(4)]);
    data.writeUInt32LE(OUTBOUND_START, 18);
    const response = await this.exchange(this.seal(NET_FN.app, 0x3a, data));
    if (response?.completionCode !== 0) return response?.completionCode;
    this.sessionId = response.data.readUInt32LE(1);
    this.sequence = response.data.readUInt32LE(5);
    return 0;
  }

  /** @throws Error without a response */
  async command(netFn: number, command: number, data: Buffer = Buffer.alloc(0)): Promise<ResponseMessage> {
    const response = await this.exchange(this.seal(netFn, command, data));
    if (response === undefined) throw new Error(`no answer to command ${netFn}/${command}`);
    return response;
  }

  seal(netFn: number, command: number, data: Buffer = Buffer.alloc(0)): Buffer {
    const payload = request(netFn, command, data);
    const datagram = encodeAuthenticatedPacket(this.#password, {
      sessionId: this.sessionId,
      sequence: this.sequence,
      payload,
    });
    if (this.sequence !== 0) this.sequence += 1;
    return datagram;
  }

  async exchange(datagram: Buffer): Promise<ResponseMessage | undefined> {
    const answer = await this.#transport.exchange(datagram);
    if (answer === undefined) return undefined;
    const packet = decodeAuthenticatedPacket(answer);
    if (!isGenuine(this.#password, packet)) throw new Error('the answer is not genuine');
    this.received = packet.sequence;
    return decodeResponse(packet.payload);
  }
}

function request(netFn: number, command: number, data: Buffer): Buffer {
  return encodeRequest(aRequest({ netFn, command, data }));
}
