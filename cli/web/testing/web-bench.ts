import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { KubeClient, systemClock, type Logger } from '@groundcrew/controller-runtime';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import { FakeClock, ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { aBmc } from '../../status/testing/builders.ts';
import { BmcWays } from '../bmc-ways.ts';
import { FleetFeed } from '../fleet-feed.ts';
import { Sessions } from '../sessions.ts';
import { WebServer } from '../web-server.ts';
import { FakeSource } from './fake-source.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

const NO_PROXY = { kind: 'Status', message: 'services "https:web-virtbmc:redfish" is forbidden' };

/** A server of `groundcrew web` with one BMC, `vms/web`, which is another server on loopback, with an API server that has no proxy. */
export class WebBench {
  readonly api = new ScriptedApi();
  readonly source = new FakeSource();
  /** Of what is known of ways. */
  readonly clock = new FakeClock();
  /** Keys of the links, the newest last. */
  readonly keys: string[] = [];
  /** Everything that was logged. */
  log = '';
  /** What the BMC has received. */
  readonly requests: IncomingMessage[] = [];
  /** Number of connections to the BMC so far. */
  connections = 0;
  /** How the BMC answers. */
  answer: RequestListener = (_request, response) => response.end('{}');
  readonly #client = new KubeClient({ transport: this.api, fieldManager: 'test' });
  readonly #ways = new BmcWays({
    client: this.#client,
    transport: this.api,
    access: { server: 'https://127.0.0.1:1' },
    clock: this.clock,
  });
  readonly #feed = new FleetFeed({ clock: systemClock, logger: this.#logger, source: () => this.source });
  readonly #server: WebServer;
  readonly #bmc: Server;

  private constructor(certificate: { key: string; cert: string }) {
    this.#bmc = createServer(certificate, (incoming, response) => {
      this.requests.push(incoming);
      this.answer(incoming, response);
    });
    this.api.intercept = ({ path }) => (path.includes('/proxy/') ? { status: 403, body: NO_PROXY } : undefined);
    this.#bmc.on('secureConnection', () => (this.connections += 1));
    this.#bmc.on('upgrade', (incoming: IncomingMessage, socket) => {
      this.requests.push(incoming);
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSet-Cookie: a=b\r\n\r\n',
      );
      socket.pipe(socket);
    });
    const page =
      (name: string): RequestListener =>
      (incoming, response) =>
        response.end(`${name} ${incoming.url ?? ''}`);
    this.#server = new WebServer({
      sessions: new Sessions({ clock: systemClock, random: randomBytes, onKey: (key) => this.keys.push(key) }),
      feed: this.#feed,
      ways: this.#ways,
      pages: { fleet: page('fleet'), bmc: page('bmc') },
      clock: systemClock,
      logger: this.#logger,
    });
  }

  static async start(): Promise<WebBench> {
    const { ca, ...certificate } = await issueServerCertificate({ names: ['127.0.0.1'], now: Date.now() });
    const bench = new WebBench(certificate);
    await once(bench.#bmc.listen(0, '127.0.0.1'), 'listening');
    await bench.#server.listen(0);
    const redfish = `https://127.0.0.1:${(bench.#bmc.address() as AddressInfo).port}`;
    const { metadata: _, ...bmc } = aBmc('web', { endpoints: { redfish } });
    bench.api.put('/apis/bmc.kubevirt.io/v1beta1/namespaces/vms/virtualmachinebmcs/web', bmc);
    bench.publish('groundcrew-system', ca);
    return bench;
  }

  /** Publishes an authority's certificates, as a manager does in its namespace. */
  publish(namespace: string, certificates: string): void {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', data: { 'ca.crt': certificates } };
    this.api.put(`/api/v1/namespaces/${namespace}/configmaps/groundcrew-ca`, map);
  }

  get port(): number {
    return this.#server.port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @param path sent as it is */
  async ask(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
    const outgoing = request({ host: '127.0.0.1', port: this.port, method, path, headers, agent: false });
    outgoing.end(body);
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve).once('error', reject);
    });
    return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: await text(incoming) };
  }

  /** The status of an answer to an upgrade; 101: the connection is then closed. */
  async upgrade(
    path: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; headers: IncomingHttpHeaders }> {
    const all = { connection: 'Upgrade', upgrade: 'websocket', ...headers };
    const outgoing = request({ host: '127.0.0.1', port: this.port, path, headers: all, agent: false });
    outgoing.end();
    return await new Promise((resolve, reject) => {
      outgoing.once('upgrade', (incoming, socket) => {
        socket.destroy();
        resolve({ status: 101, headers: incoming.headers });
      });
      outgoing.once('response', (incoming) => {
        incoming.resume();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers });
      });
      outgoing.once('error', reject);
    });
  }

  /** Uses the newest link. */
  async open(headers: Record<string, string> = {}, body = JSON.stringify({ key: this.keys.at(-1) })): Promise<Answer> {
    const all = { origin: this.origin, 'content-type': 'application/json', ...headers };
    return await this.ask('POST', '/session', all, body);
  }

  /** The Cookie header of a new session. */
  async logIn(): Promise<{ cookie: string }> {
    const { headers } = await this.open();
    return { cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '' };
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#feed.close();
    await this.#ways.close();
    this.#bmc.closeAllConnections();
    await new Promise((resolve) => this.#bmc.close(resolve));
  }

  get #logger(): Logger {
    const write = (fields: object, message: string): void => {
      this.log += `${message} ${JSON.stringify(fields)}\n`;
    };
    const logger: Logger = { debug: write, info: write, warn: write, error: write, child: () => logger };
    return logger;
  }
}
