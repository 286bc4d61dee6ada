import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:dgram';
import { randomBlocks } from '../../../protocols/ipmi/random-blocks.ts';
import { cipherSuite } from '../../../protocols/ipmi/rmcpplus/cipher-suite.ts';
import { encodeOpenSessionRequest } from '../../../protocols/ipmi/rmcpplus/open-session.ts';
import { PAYLOAD_TYPE } from '../../../protocols/ipmi/rmcpplus/packet.ts';
import { consoleSessionId } from '../../../protocols/ipmi/rmcpplus/session-id.ts';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { decodeResponse } from '../../../protocols/ipmi/message/lan-message.ts';
import { connectedSocket, socketTransport } from '../../../protocols/ipmi/testing/transport.ts';
import { GET_CAPABILITIES } from './contender.ts';
import type { LoadTask } from './load-program.ts';

const SILENCE = 2_000;
const CHASSIS = 0x00;
const GET_CHASSIS_STATUS = 0x01;
const ADMINISTRATOR = 4;

/** Receives the duration of each request or session in µs. */
export type OnDone = (time: number) => void;

/** One client of a BMC, with one port and one session at a time. */
export class LoadClient {
  readonly #task: LoadTask;
  readonly #socket: Socket;
  readonly #random = randomBlocks(randomBytes);

  private constructor(task: LoadTask, socket: Socket) {
    this.#task = task;
    this.#socket = socket;
  }

  static async create(task: LoadTask): Promise<LoadClient> {
    return new LoadClient(task, await connectedSocket(task.host, task.port));
  }

  close(): void {
    this.#socket.close();
  }

  /** Opens sessions one after the other until `deadline`, each with one request. */
  async sessions(deadline: number, onDone: OnDone): Promise<void> {
    while (performance.now() < deadline) {
      const started = performance.now();
      const client = await this.login();
      const { completionCode } = await client.command(CHASSIS, GET_CHASSIS_STATUS);
      if (completionCode !== 0) throw new Error(`completion code 0x${completionCode.toString(16)}`);
      await client.logout();
      onDone((performance.now() - started) * 1000);
    }
  }

  /** Begins log-ins until `deadline` and completes none. */
  async halfOpen(deadline: number, onDone: OnDone): Promise<void> {
    const client = new RmcpPlusClient(socketTransport(this.#socket, SILENCE), this.#random);
    const proposal = { tag: 1, maxPrivilege: ADMINISTRATOR, ...cipherSuite(3) };
    while (performance.now() < deadline) {
      const started = performance.now();
      const consoleId = consoleSessionId(this.#random(4).readUInt32LE(0) || 1);
      await client.sessionless(PAYLOAD_TYPE.openSessionRequest, encodeOpenSessionRequest({ ...proposal, consoleId }));
      onDone((performance.now() - started) * 1000);
    }
  }

  /** Sends the next request after each answer, until `deadline`, without a promise or timer for each request. */
  async requests(client: RmcpPlusClient, deadline: number, onDone: OnDone): Promise<void> {
    const socket = this.#socket;
    const { channel } = client.session;
    await new Promise<void>((resolve, reject) => {
      let asked = performance.now();
      let answers = 0;
      let heard = 0;
      const ask = (): void => {
        socket.send(client.seal(CHASSIS, GET_CHASSIS_STATUS));
      };
      const end = (error?: Error): void => {
        clearInterval(watch);
        socket.off('message', take);
        if (error === undefined) resolve();
        else reject(error);
      };
      const take = (datagram: Buffer): void => {
        try {
          const { completionCode } = decodeResponse(channel.open(datagram));
          if (completionCode !== 0) throw new Error(`completion code 0x${completionCode.toString(16)}`);
          const now = performance.now();
          onDone((now - asked) * 1000);
          answers += 1;
          asked = now;
          if (now < deadline) ask();
          else end();
        } catch (cause) {
          end(new Error('an answer cannot be read', { cause }));
        }
      };
      const watch = setInterval(() => {
        if (heard === answers) end(new Error(`no answer in ${SILENCE} ms`));
        heard = answers;
      }, SILENCE);
      socket.on('message', take);
      ask();
    });
  }

  async login(): Promise<RmcpPlusClient> {
    const { username, password } = this.#task;
    const transport = socketTransport(this.#socket, SILENCE);
    const client = new RmcpPlusClient(transport, this.#random);
    // fakebmc needs it to accept a second session from the same port.
    await transport.exchange(GET_CAPABILITIES);
    // All servers support cipher suite 3.
    await client.login({ username, password, suite: 3 });
    await client.setPrivilege(ADMINISTRATOR);
    return client;
  }
}
