import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket, type ClientOptions } from 'ws';
import { eventually, type Cluster, type HttpAnswer } from '../index.ts';
import { grantRole, serviceAccountToken } from '../service-accounts.ts';

const PLAIN = 'plain.kubevirt.io';

/** Options of a console request; the defaults are those of virtctl. */
export interface Asking {
  /** Default: `plain.kubevirt.io`. */
  protocols?: string[];
  /** Sent as a header; default: the token of a permitted account. */
  token?: string | undefined;
  /** API version; default `v1`. */
  version?: string;
  /** Default `virtualmachineinstances/<name>/console`. */
  subresource?: string;
  headers?: Record<string, string>;
}

/** The response to a refused console request. */
class Refusal extends Error {
  readonly answer: HttpAnswer;

  constructor(answer: HttpAnswer) {
    super(`${answer.status} ${JSON.stringify(answer.body)}`);
    this.answer = answer;
  }
}

/**
 * Opens consoles of the instances in one namespace through the API server, as an account that may only read instances
 * and open consoles.
 */
export class Consoles {
  readonly token: string;
  readonly #cluster: Cluster;
  readonly #namespace: string;

  private constructor(cluster: Cluster, namespace: string, token: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.token = token;
  }

  static async prepare(cluster: Cluster, namespace: string): Promise<Consoles> {
    const { client } = cluster;
    const metadata = { namespace, name: 'operator' };
    await grantRole(client, metadata, [
      {
        apiGroups: ['subresources.kubevirt.io'],
        resources: ['console', 'vnc', 'vnc/screenshot'].map((name) => `virtualmachineinstances/${name}`),
        verbs: ['get'],
      },
      {
        apiGroups: ['kubevirt.io'],
        resources: ['virtualmachines', 'virtualmachineinstances'],
        verbs: ['get', 'list', 'watch'],
      },
    ]);
    const consoles = new Consoles(cluster, namespace, await serviceAccountToken(client, metadata));
    // A real server applies new roles with a delay.
    await eventually(async () => {
      const { status } = (await consoles.refusal('no-such-instance')).answer;
      if (status !== 404) throw new Error(`the account may not open consoles yet: ${status}`);
    });
    return consoles;
  }

  /** @throws Refusal if the response is not a WebSocket */
  async open(name: string, asking: Asking = {}): Promise<Console> {
    const webSocket = this.connect(name, asking);
    const console = new Console(webSocket);
    await new Promise<void>((resolve, reject) => {
      webSocket.once('open', resolve);
      webSocket.once('error', reject);
      webSocket.once('unexpected-response', (_, response) => {
        answerOf(response).then((answer) => {
          reject(new Refusal(answer));
        }, reject);
      });
    });
    return console;
  }

  /** Begins to open a WebSocket. */
  connect(name: string, asking: Asking = {}): WebSocket {
    const { protocols = [PLAIN], version = 'v1', headers } = asking;
    const { subresource = `virtualmachineinstances/${name}/console` } = asking;
    const token = 'token' in asking ? asking.token : this.token;
    const url = `${this.#cluster.server}/apis/subresources.kubevirt.io/${version}/namespaces/${this.#namespace}/${subresource}`;
    const options: ClientOptions = {
      ca: this.#cluster.ca,
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    };
    return new WebSocket(url.replace('https:', 'wss:'), protocols, options);
  }

  /** The error response to a console request; throws if a console opens. */
  async refusal(name: string, asking?: Asking): Promise<Refusal> {
    try {
      (await this.open(name, asking)).close();
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
    throw new Error(`${name} has a console`);
  }
}

/** An open console and its output. */
export class Console {
  readonly #webSocket: WebSocket;
  readonly #frames: { data: Buffer; isBinary: boolean }[] = [];
  /** Position after the last match of `until`. */
  #seen = 0;
  readonly #closed: Promise<number>;

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
    webSocket.on('message', (data, isBinary) => this.#frames.push({ data: data as Buffer, isBinary }));
    // Reported by `open`, or followed by `close`.
    webSocket.on('error', () => undefined);
    this.#closed = new Promise((resolve) => webSocket.once('close', resolve));
  }

  get protocol(): string {
    return this.#webSocket.protocol;
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN;
  }

  get isBinary(): boolean {
    return this.#frames.every(({ isBinary }) => isBinary);
  }

  /** All output so far. */
  get text(): string {
    return Buffer.concat(this.#frames.map(({ data }) => data)).toString('latin1');
  }

  type(text: string | Buffer): void {
    this.#webSocket.send(Buffer.from(text));
  }

  /** Sends a text frame, which a serial console does not support. */
  say(text: string): void {
    this.#webSocket.send(text);
  }

  /** Waits for a match after the previous match, and returns the text up to its end. */
  async until(wanted: RegExp | string): Promise<string> {
    return await eventually(() => {
      const { text } = this;
      const rest = text.slice(this.#seen);
      const at = typeof wanted === 'string' ? rest.indexOf(wanted) : rest.search(wanted);
      if (at === -1) throw new Error(`${String(wanted)} has not come; what has: ${JSON.stringify(rest.slice(-2000))}`);
      const length = typeof wanted === 'string' ? wanted.length : (wanted.exec(rest)?.[0].length ?? 0);
      this.#seen += at + length;
      return rest.slice(0, at + length);
    });
  }

  /** Types a line and waits for the output. */
  async command(line: string, wanted: RegExp | string): Promise<string> {
    this.type(`${line}\r`);
    return await this.until(wanted);
  }

  /** Logs in to a root shell of a booted guest. */
  async logIn(): Promise<void> {
    await this.command('', 'login: ');
    await this.command('root', '# ');
  }

  /** The close code. */
  async closed(): Promise<number> {
    return await this.#closed;
  }

  close(): void {
    this.#webSocket.close();
  }

  /** Stops reading until `resume`. */
  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }
}

async function answerOf(response: IncomingMessage): Promise<HttpAnswer> {
  const body = await text(response);
  const isJson = response.headers['content-type']?.startsWith('application/json') === true;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: body === '' ? undefined : isJson ? (JSON.parse(body) as unknown) : body,
  };
}
