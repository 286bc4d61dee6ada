import type { ClientRequest, IncomingMessage } from 'node:http';

export interface Posting {
  /** `http://` or `https://` */
  readonly destination: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verifiesCertificate: boolean;
}

/** ms for an answer. */
const PATIENCE = 10_000;

/**
 * Sends an event to a listener. Redirects are not followed: whoever set the destination meant it.
 *
 * @throws Error where no answer comes, or one other than 2xx
 */
export async function postEvent({ destination, headers, body, verifiesCertificate }: Posting): Promise<void> {
  const url = new URL(destination);
  const options = {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'application/json;charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'OData-Version': '4.0',
    },
    timeout: PATIENCE,
    agent: false,
  };
  const request =
    url.protocol === 'https:'
      ? process.getBuiltinModule('node:https').request(url, { ...options, rejectUnauthorized: verifiesCertificate })
      : process.getBuiltinModule('node:http').request(url, options);
  const status = await answerTo(request, body);
  if (status < 200 || status > 299) throw new Error(`the listener answered ${status}`);
}

function answerTo(request: ClientRequest, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => request.destroy(new Error('the listener does not answer')), PATIENCE);
    request.on('response', (response: IncomingMessage) => {
      clearTimeout(patience);
      resolve(response.statusCode ?? 0);
      // What it says is of no interest, however much it is.
      response.destroy();
    });
    request.on('error', (error) => {
      clearTimeout(patience);
      reject(error);
    });
    request.end(body);
  });
}
