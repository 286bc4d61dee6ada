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
  /** That the destination's host has: no other is connected to, whatever its name leads to by then. At least one. */
  readonly addresses: readonly string[];
  /** Certificates of authorities, PEM; undefined: those that Node trusts. */
  readonly ca?: readonly string[];
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** A listener has something against an event. */
export class ListenerRefusal extends Error {
  override readonly name = 'ListenerRefusal';
  /** Of HTTP. */
  readonly status: number;

  constructor(status: number) {
    super(`the listener answered ${status}`);
    this.status = status;
  }
}

/**
 * Sends an event to a listener. Redirects are not followed: whoever set the destination meant it.
 *
 * @throws ListenerRefusal for an answer other than 2xx, Error where none comes
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
      // Whatever comes behind the header does not concern anybody.
      response.on('error', () => undefined);
      resolve(response.statusCode ?? 0);
      // What it says is of no interest, however much it is.
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}
