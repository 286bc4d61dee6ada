import { Agent, request } from 'node:https';

export interface RedfishAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
  /** Common name of the server certificate. */
  shown: string;
}

export interface RedfishRequest {
  method?: string;
  body?: unknown;
  /** `user:password`, for Basic authentication. */
  login?: string;
  token?: string;
  /** The body is not JSON, and is left as text. */
  isBinary?: boolean;
}

/** A client of one BMC on 127.0.0.1 with a persistent connection. */
export class RedfishClient {
  readonly #port: number;
  readonly #host: string;
  readonly #agent: Agent;
  readonly #sockets = new Set<unknown>();

  /** @param ca PEM CA certificate that verifies the server, with the name `servername` */
  constructor(port: number, ca: string, servername: string, host = '127.0.0.1') {
    this.#port = port;
    this.#host = host;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, ca, servername });
  }

  /** Number of connections so far. */
  get connections(): number {
    return this.#sockets.size;
  }

  async ask(
    path: string,
    { method = 'GET', body, login, token, isBinary = false }: RedfishRequest = {},
  ): Promise<RedfishAnswer> {
    return await new Promise((resolve, reject) => {
      const headers = {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { 'X-Auth-Token': token }),
      };
      const options = { host: this.#host, port: this.#port, path, method, headers, agent: this.#agent };
      const asked = request({ ...options, ...(login === undefined ? {} : { auth: login }) }, (response) => {
        const chunks: Buffer[] = [];
        const { subject } = (
          response.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }
        ).getPeerCertificate(); // it is a TLSSocket, but the types do not say so
        this.#sockets.add(response.socket);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const parsed: unknown = isBinary ? text : text === '' ? undefined : JSON.parse(text);
          const { statusCode = 0, headers: answered } = response;
          resolve({ status: statusCode, headers: answered, body: parsed, shown: subject.CN });
        });
      });
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
