import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:dgram';
import { randomBlocks } from '../../../../protocols/ipmi/random-blocks.ts';
import { cipherSuite } from '../../../../protocols/ipmi/rmcpplus/cipher-suite.ts';
import { encodeOpenSessionRequest } from '../../../../protocols/ipmi/rmcpplus/open-session.ts';
import { PAYLOAD_TYPE } from '../../../../protocols/ipmi/rmcpplus/payload-type.ts';
import { consoleSessionId } from '../../../../protocols/ipmi/rmcpplus/session-id.ts';
import { RmcpPlusClient } from '../../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { decodeResponse } from '../../../../protocols/ipmi/message/lan-message.ts';
import { connectedSocket, socketTransport } from '../../../../protocols/ipmi/testing/transport.ts';
import { GET_CAPABILITIES } from '../first-answer.ts';
import type { LoadTask } from './load-task.ts';

const SILENCE = 2_000;
const CHASSIS = 0x00;
const GET_CHASSIS_STATUS = 0x01;
const ADMINISTRATOR = 4;

/** Takes note of what each one took, in µs. */
export type OnDone = (time: number) => void;

/** One client of a BMC: a port, and a session at a time. */
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

  /** Opens sessions one after the other until `deadline`, each for one request. */
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

  /** Begins log-ins until `deadline`, and goes on with none. */
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

  /** Asks again as soon as an answer is there, until `deadline`. No promise and no timer of each request is measured. */
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
    // By this fakebmc knows that a port which an earlier session came from begins another one.
    await transport.exchange(GET_CAPABILITIES);
    // Suite 3, the one that all of them have.
    await client.login({ username, password, suite: 3 });
    await client.setPrivilege(ADMINISTRATOR);
    return client;
  }
}
