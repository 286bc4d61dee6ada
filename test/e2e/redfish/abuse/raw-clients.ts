import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { SandboxBmc } from '../../../harness/sandbox/index.ts';

/** Source address of the abusive clients, different from that of the others. */
const SOURCE = '127.0.0.66';

/** Connections that violate the protocol. */
export class RawClients {
  readonly #bmc: SandboxBmc;
  readonly #sockets: Socket[] = [];

  constructor(bmc: SandboxBmc) {
    this.#bmc = bmc;
  }

  get authorization(): string {
    const { username, password } = this.#bmc;
    return `Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`;
  }

  /** A connection without TLS. */
  async plain(localAddress = SOURCE): Promise<Socket> {
    const socket = this.#connect(localAddress);
    this.#keep(socket);
    // A connection above the limit may be reset before its connect event.
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    return socket;
  }

  async tls(): Promise<TLSSocket> {
    // The client does not verify the server's certificate.
    const socket = connectTls({ socket: this.#connect(SOURCE), rejectUnauthorized: false });
    this.#keep(socket);
    await once(socket, 'secureConnect');
    return socket;
  }

  /** Opens that many connections that send `text` and then nothing. */
  async silentAfter(text: string, count: number): Promise<TLSSocket[]> {
    const sockets = await Promise.all(Array.from({ length: count }, () => this.tls()));
    for (const socket of sockets) socket.resume().write(text);
    return sockets;
  }

  /**
   * Sends the chunks and reads until a status line or the end of the connection. @returns the status; 0: disconnected
   */
  async statusOf(...chunks: readonly string[]): Promise<number> {
    const socket = await this.tls();
    for (const chunk of chunks) socket.write(chunk);
    const text = await new Promise<string>((resolve) => {
      let said = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        said += chunk;
        if (said.includes('\r\n')) resolve(said);
      });
      socket.on('close', () => {
        resolve(said);
      });
    });
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0);
  }

  /** Sends a request that many times at once. @returns the number of answers with 200 */
  async answersTo(request: string, count: number): Promise<number> {
    const socket = await this.tls();
    socket.write(request.repeat(count));
    const answers = (text: string): number => text.match(/HTTP\/1\.1 200 /g)?.length ?? 0;
    let said = '';
    for await (const chunk of socket) {
      said += String(chunk);
      if (answers(said) >= count) break;
    }
    return answers(said);
  }

  /** Closes all of them. */
  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }

  #keep(socket: Socket): void {
    // They are expected to be disconnected.
    socket.on('error', () => undefined);
    this.#sockets.push(socket);
  }

  #connect(localAddress: string): Socket {
    const { hostname, port } = new URL(this.#bmc.redfish);
    return connect({ host: hostname, port: Number(port), localAddress });
  }
}
