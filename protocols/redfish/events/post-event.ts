import type { ClientRequest, IncomingMessage } from 'node:http';
import { alwaysTo } from '../../hosts/index.ts';

export interface Posting {
  /** `http://` or `https://` */
  readonly destination: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verifiesCertificate: boolean;
}

export interface PostOptions {
  /** Evaluated addresses of the destination's host, at least one; no other address is used. */
  readonly addresses: readonly string[];
  /** CA certificates, PEM; undefined: those of Node. */
  readonly ca?: readonly string[];
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** The listener answered with an error status. */
export class ListenerRefusal extends Error {
  override readonly name = 'ListenerRefusal';
  /** HTTP status. */
  readonly status: number;

  constructor(status: number) {
    super(`the listener answered ${status}`);
    this.status = status;
  }
}

/**
 * Sends an event to a listener. Does not follow redirects: only the configured destination is allowed.
 *
 * @throws ListenerRefusal for an answer other than 2xx, Error if there is no answer
 */
export async function postEvent(posting: Posting, { addresses, ca, signal }: PostOptions): Promise<void> {
  const { destination, headers, body, verifiesCertificate } = posting;
  const url = new URL(destination);
  const options = {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'application/json;charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'OData-Version': '4.0',
    },
    agent: false,
    lookup: alwaysTo(addresses),
    signal,
  };
  const request =
    url.protocol === 'https:'
      ? process.getBuiltinModule('node:https').request(url, {
          ...options,
          rejectUnauthorized: verifiesCertificate,
          ...(ca === undefined ? {} : { ca: [...ca] }),
        })
      : process.getBuiltinModule('node:http').request(url, options);
  const status = await answerTo(request, body);
  if (status < 200 || status > 299) throw new ListenerRefusal(status);
}

function answerTo(request: ClientRequest, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request.on('response', (response: IncomingMessage) => {
      // Errors after the response header are ignored.
      response.on('error', () => undefined);
      resolve(response.statusCode ?? 0);
      // The body is not read.
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}
