import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { startApiServer, type ApiServerStartOptions, type RunningApiServer } from '../index.ts';
import type { Json } from '../json.ts';

export interface Answer {
  status: number;
  /** The parsed body; undefined if it is not JSON. */
  body: unknown;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface CallOptions {
  contentType?: string;
  accept?: string;
  token?: string;
  /** Additional headers. */
  headers?: Record<string, string>;
}

export interface TestServer extends RunningApiServer {
  readonly call: (method: string, path: string, body?: Json | Buffer, options?: CallOptions) => Promise<Answer>;
  /** Sends a GET; resolves with the response before its body is read. */
  readonly open: (path: string) => Promise<IncomingMessage>;
  /** The first `enough` events of a watch. */
  readonly watch: (path: string, enough: number) => Promise<{ type: string; object: Record<string, never> }[]>;
}

/** Starts an API server, with a client that returns raw responses. */
export async function startTestServer(options: Partial<ApiServerStartOptions> = {}): Promise<TestServer> {
  const running = await startApiServer({ logger: silentLogger, ...options });
  const open = (
    method: string,
    path: string,
    body: Buffer | undefined,
    headers: Record<string, string>,
    token = running.token,
  ) => {
    const outgoing = httpsRequest(running.server + path, {
      method,
      ca: running.ca,
      agent: false,
      headers: {
        'user-agent': 'tests/1',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-length': String(body.length) }),
        ...headers,
      },
    });
    outgoing.end(body);
    return outgoing;
  };
  return {
    ...running,
    async call(
      method,
      path,
      body,
      { contentType = 'application/json', accept = 'application/json', token, headers } = {},
    ) {
      const bytes = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      return await new Promise((resolve, reject) => {
        const outgoing = open(
          method,
          path,
          bytes,
          { accept, ...(bytes === undefined ? {} : { 'content-type': contentType }), ...headers },
          token,
        );
        outgoing.once('error', reject);
        outgoing.once('response', (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.once('end', () => {
            resolve({ status: response.statusCode ?? 0, body: parsed(text), text, headers: response.headers });
          });
        });
      });
    },
    async open(path) {
      return await new Promise((resolve, reject) => {
        open('GET', path, undefined, {}).once('error', reject).once('response', resolve);
      });
    },
    async watch(path, enough) {
      return await new Promise((resolve, reject) => {
        const outgoing = open('GET', path, undefined, {});
        outgoing.once('error', reject);
        outgoing.once('response', (response) => {
          let text = '';
          const lines = () => text.split('\n').filter((line) => line !== '');
          const finish = () => {
            outgoing.destroy();
            resolve(
              lines()
                .slice(0, enough)
                .map((line) => JSON.parse(line) as { type: string; object: Record<string, never> }),
            );
          };
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
            if (text.endsWith('\n') && lines().length >= enough) finish();
          });
          response.once('end', finish);
        });
      });
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
