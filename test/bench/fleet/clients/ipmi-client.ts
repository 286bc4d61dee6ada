import type { Socket } from 'node:dgram';
import { decodeResponse } from '../../../../protocols/ipmi/message/lan-message.ts';
import { AUTH_TYPE_RMCPPLUS, payloadTypeOf, PAYLOAD_TYPE } from '../../../../protocols/ipmi/rmcpplus/packet.ts';
import { RmcpPlusClient } from '../../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { connectedSocket, type ClientTransport } from '../../../../protocols/ipmi/testing/transport.ts';
import { GET_CAPABILITIES } from '../../ipmi/contender.ts';
import { PassingError, persist, sendOnce, UnansweredError, type BmcAccess, type PowerClient } from './power-client.ts';

/**
 * ms to wait for an answer to each transmission of a request in a session. ipmitool 1.8.19 (`-N 1 -R 4`, its default for
 * lanplus) waits one second longer each time; a retransmission has the request's sequence number. It sends each message of
 * a log-in once, and then begins a new log-in.
 */
const WAITS = [1_000, 2_000, 3_000, 4_000];
/** ms between two attempts of a whole command. */
const PAUSE = 1_000;

const CHASSIS = 0x00;
const GET_CHASSIS_STATUS = 0x01;
const CHASSIS_CONTROL = 0x02;
const SET_BOOT_OPTIONS = 0x08;
const POWER_UP = Buffer.of(1);
const POWER_CYCLE = Buffer.of(2);
/** As `ipmitool chassis bootdev pxe`: acknowledge of the BIOS (parameter 4), then valid one-time flags for PXE (parameter 5). */
const PXE = [Buffer.from('040101', 'hex'), Buffer.from('058004000000', 'hex')];
const ADMINISTRATOR = 4;
/** Node busy, timeout, out of space, initialization in progress: Ironic repeats the command. */
const PASSING = [0xc0, 0xc3, 0xc4, 0xd2];

/** Each command in a session of its own over RMCP+ with cipher suite 17, as one run of ipmitool. */
export class IpmiClient implements PowerClient {
  readonly tool = 'IPMI';
  readonly #bmc: BmcAccess;
  repeats = 0;

  constructor(bmc: BmcAccess) {
    this.#bmc = bmc;
  }

  async setPxe(): Promise<void> {
    await this.#run(async (session) => {
      for (const data of PXE) await session.command(SET_BOOT_OPTIONS, data);
    });
  }

  async powerOn(): Promise<void> {
    await this.#run((session) => session.command(CHASSIS_CONTROL, POWER_UP));
  }

  async powerCycle(wasCarriedOut: () => Promise<boolean>): Promise<void> {
    await this.#run((session) => sendOnce(() => session.command(CHASSIS_CONTROL, POWER_CYCLE), wasCarriedOut));
  }

  async isOn(): Promise<boolean> {
    const status = await this.#run((session) => session.command(GET_CHASSIS_STATUS, Buffer.alloc(0)));
    return (status.readUInt8(0) & 1) === 1;
  }

  async close(): Promise<void> {}

  async #run<T>(work: (session: IpmiSession) => Promise<T>): Promise<T> {
    const onRepeat = () => {
      this.repeats += 1;
    };
    return await persist(() => runOnce(this.#bmc, work, onRepeat), PAUSE, onRepeat);
  }
}

async function runOnce<T>(
  { ipmi, username, password }: BmcAccess,
  work: (session: IpmiSession) => Promise<T>,
  onRepeat: () => void,
): Promise<T> {
  const socket = await connectedSocket(ipmi.host, ipmi.port);
  // The port is closed while no agent serves it: like a lost datagram.
  socket.on('error', () => undefined);
  try {
    const session = await IpmiSession.open(socket, username, password, onRepeat);
    const result = await work(session);
    session.close();
    return result;
  } finally {
    socket.close();
  }
}

class IpmiSession {
  readonly #socket: Socket;
  readonly #client: RmcpPlusClient;
  readonly #onRepeat: () => void;

  private constructor(socket: Socket, client: RmcpPlusClient, onRepeat: () => void) {
    this.#socket = socket;
    this.#client = client;
    this.#onRepeat = onRepeat;
  }

  /** @throws PassingError without an answer; LoginRefused */
  static async open(socket: Socket, username: string, password: string, onRepeat: () => void): Promise<IpmiSession> {
    const client = new RmcpPlusClient(loginTransport(socket));
    const session = new IpmiSession(socket, client, onRepeat);
    await session.#transmit(
      () => GET_CAPABILITIES,
      (answer) => (answer[4] === 0 ? answer : undefined),
    );
    await client.login({ username, password });
    await session.#send(0x06, 0x3b, Buffer.of(ADMINISTRATOR));
    return session;
  }

  /** A command of the network function Chassis. @throws PassingError */
  async command(command: number, data: Buffer): Promise<Buffer> {
    return await this.#send(CHASSIS, command, data);
  }

  /** Closes the session without waiting for the answer. */
  close(): void {
    const id = Buffer.alloc(4);
    id.writeUInt32LE(this.#client.session.managedId);
    this.#socket.send(this.#client.seal(0x06, 0x3c, id));
  }

  async #send(netFn: number, command: number, data: Buffer): Promise<Buffer> {
    const sequence = this.#client.nextSequence();
    const response = await this.#transmit(
      () => this.#client.seal(netFn, command, data, sequence),
      (answer) => {
        if (answer[4] !== AUTH_TYPE_RMCPPLUS || payloadTypeOf(answer) !== PAYLOAD_TYPE.ipmi) return undefined;
        const decoded = decodeResponse(this.#client.session.channel.open(answer));
        return decoded.sequence === sequence && decoded.command === command ? decoded : undefined;
      },
    );
    const { completionCode } = response;
    if (completionCode === 0) return response.data;
    const message = `command ${netFn}/0x${command.toString(16)}: completion code 0x${completionCode.toString(16)}`;
    throw PASSING.includes(completionCode) ? new PassingError(message) : new Error(message);
  }

  /** Sends a request up to four times. @param take the answer, or undefined for another datagram */
  async #transmit<T>(request: () => Buffer, take: (answer: Buffer) => T | undefined): Promise<T> {
    for (const [index, wait] of WAITS.entries()) {
      if (index > 0) this.#onRepeat();
      this.#socket.send(request(), () => undefined);
      const answer = await answerOf(this.#socket, wait, take);
      if (answer !== undefined) return answer;
    }
    throw new UnansweredError('no answer to four transmissions of a request');
  }
}

/** Sends each message of a log-in once, and skips late answers to earlier ones: an answer's type is one above its request's. */
function loginTransport(socket: Socket): ClientTransport {
  return {
    exchange: async (datagram) => {
      const expected = payloadTypeOf(datagram) + 1;
      socket.send(datagram, () => undefined);
      const take = (answer: Buffer) =>
        answer[4] === AUTH_TYPE_RMCPPLUS && payloadTypeOf(answer) === expected ? answer : undefined;
      const answer = await answerOf(socket, WAITS[0] ?? 0, take);
      if (answer === undefined) throw new PassingError('no answer to a message of the log-in');
      return answer;
    },
    close: () => undefined,
  };
}

async function answerOf<T>(
  socket: Socket,
  wait: number,
  take: (answer: Buffer) => T | undefined,
): Promise<T | undefined> {
  return await new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      socket.off('message', onMessage);
    };
    const timer = setTimeout(() => {
      end();
      resolve(undefined);
    }, wait);
    const onMessage = (datagram: Buffer): void => {
      try {
        const taken = take(datagram);
        if (taken === undefined) return;
        end();
        resolve(taken);
      } catch (cause) {
        end();
        reject(new Error('an answer cannot be read', { cause }));
      }
    };
    socket.on('message', onMessage);
  });
}
