import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { json as jsonOf } from 'node:stream/consumers';
import type { User } from '../tokens.ts';
import type { KeyPair } from '@groundcrew/controller-runtime/certificates';
import { at, isObject, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Store } from '../store/index.ts';
import { refuseUpgrade, relayUpgrade } from '@groundcrew/controller-runtime/relay-upgrade';

const APISERVICES = 'apiregistration.k8s.io/apiservices';
/** Headers that are not forwarded: hop-by-hop headers and credentials. X-Remote-* headers name the user instead. */
const DROPPED = [
  'authorization',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'upgrade',
  'host',
];

/** Milliseconds. */
const PROBE_TIMEOUT = 5000;

export interface Backend {
  host: string;
  port: number;
  /** The name in the server's certificate. */
  servername: string;
  ca: string | undefined;
  insecure: boolean;
}

/** Forwards requests, including WebSockets, to the servers of APIServices. */
export class Aggregator {
  readonly #store: Store;
  readonly #certificate: KeyPair;
  readonly #agent = new Agent({ keepAlive: true });
  /** The APIResourceList of each server at its last probe, by APIService name. */
  readonly #lists = new Map<string, unknown>();

  /** @param certificate the client certificate for the connections to the other servers */
  constructor(store: Store, certificate: KeyPair) {
    this.#store = store;
    this.#certificate = certificate;
  }

  /** The APIService of a group and version that another server serves; undefined for others. */
  find(group: string, version: string): ApiObject | undefined {
    const object = this.#store.collection(APISERVICES).get(`${version}.${group}`)?.object;
    return isObject(at(object, 'spec', 'service')) ? object : undefined;
  }

  /** The address of an APIService's server, or the reason and message why it is not available. */
  resolve(apiService: ApiObject): Backend | { problem: string; reason: string } {
    const namespace = textOr(at(apiService, 'spec', 'service', 'namespace'));
    const name = textOr(at(apiService, 'spec', 'service', 'name'));
    const port = Number(at(apiService, 'spec', 'service', 'port') ?? 443);
    const service = this.#store.collection('/services').get(`${namespace}/${name}`)?.object;
    if (service === undefined)
      return { reason: 'ServiceNotFound', problem: `service/${name} in "${namespace}" is not present` };
    const isExternal = at(service, 'spec', 'type') === 'ExternalName';
    const bundle = textOr(at(apiService, 'spec', 'caBundle'));
    return {
      host: textOr(at(service, 'spec', isExternal ? 'externalName' : 'clusterIP')),
      port,
      servername: `${name}.${namespace}.svc`,
      ca: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8'),
      insecure: at(apiService, 'spec', 'insecureSkipTLSVerify') === true,
    };
  }

  /** Forwards a request. Answers 503 if the other server cannot be reached. */
  forward(apiService: ApiObject, incoming: IncomingMessage, response: ServerResponse, user: User): void {
    const backend = this.resolve(apiService);
    if ('problem' in backend) {
      unavailable(response, 'service unavailable');
      return;
    }
    const outgoing = this.#open(backend, incoming, user, {});
    outgoing.on('response', (answer) => {
      const {
        connection: _connection,
        'keep-alive': _keepAlive,
        'transfer-encoding': _encoding,
        ...headers
      } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    });
    outgoing.once('error', (error) => {
      if (response.headersSent) response.destroy();
      else unavailable(response, `error trying to reach service: ${error.message}`);
    });
    response.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  /** Forwards an upgrade request and relays the raw connection. */
  upgrade(apiService: ApiObject, incoming: IncomingMessage, socket: Duplex, head: Buffer, user: User): void {
    const backend = this.resolve(apiService);
    if ('problem' in backend) {
      refuseUpgrade(socket, 503, 'service unavailable');
      return;
    }
    const headers = { connection: 'Upgrade', upgrade: incoming.headers.upgrade ?? '' };
    relayUpgrade(this.#open(backend, incoming, user, headers), socket, head);
  }

  /** The APIResourceList of an APIService's server at its last probe; undefined before the first one. */
  remembered(apiService: ApiObject): unknown {
    return this.#lists.get(apiService.metadata.name);
  }

  /**
   * Requests the APIResourceList from an APIService's server and stores it.
   *
   * @returns the problem, or undefined if the server is available
   */
  async probe(apiService: ApiObject, backend: Backend, path: string): Promise<string | undefined> {
    // The timeout includes the body of the answer.
    const signal = AbortSignal.timeout(PROBE_TIMEOUT);
    try {
      const outgoing = httpsRequest({ ...this.#connection(backend), path, agent: false, signal });
      // An error after the start of the response is reported to the reader of the response.
      outgoing.on('error', () => undefined);
      outgoing.end();
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]; // the event's arguments
      const { statusCode = 0 } = answer;
      if (statusCode === 200) await this.#remember(apiService, answer);
      else answer.resume();
      // A server that requires authentication is available.
      return statusCode < 400 || statusCode === 401 || statusCode === 403 ? undefined : `bad status: ${statusCode}`;
    } catch (error) {
      if (signal.aborted) return 'context deadline exceeded';
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #remember({ metadata }: ApiObject, answer: IncomingMessage): Promise<void> {
    try {
      this.#lists.set(metadata.name, await jsonOf(answer));
    } catch {
      // Without a readable list, discovery contains the group without its resources.
      this.#lists.delete(metadata.name);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(backend: Backend, incoming: IncomingMessage, user: User, extra: Record<string, string>): ClientRequest {
    const headers: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(incoming.headers)) {
      if (value !== undefined && !DROPPED.includes(name) && !name.startsWith('x-remote-')) headers[name] = value;
    }
    headers['x-remote-user'] = user.name;
    headers['x-remote-group'] = [...user.groups];
    if (user.uid !== undefined) headers['x-remote-uid'] = user.uid;
    return httpsRequest({
      ...this.#connection(backend),
      agent: extra['upgrade'] === undefined ? this.#agent : false,
      method: incoming.method,
      path: incoming.url,
      headers: { ...headers, ...extra },
    });
  }

  #connection({ host, port, servername, ca, insecure }: Backend): RequestOptions {
    const { cert, key } = this.#certificate;
    return { host, port, servername, cert, key, rejectUnauthorized: !insecure, ...(ca === undefined ? {} : { ca }) };
  }
}

function unavailable(response: ServerResponse, text: string): void {
  response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(`${text}\n`);
}
