import type { Transport, TransportRequest } from '@groundcrew/controller-runtime';

/** An answer of an API server, of any status, as a client that knows nothing of Kubernetes sees it. */
export interface HttpAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  /** Parsed where it is JSON, else the text; undefined where it is empty. */
  body: unknown;
}

export interface HttpOptions {
  /** Sent as JSON; a string is sent as it stands. */
  body?: unknown;
  /** Default `application/json` where there is a body. */
  contentType?: string;
  /** Default `application/json, *\/*`, as client-go sends it; empty: none. */
  accept?: string;
  headers?: Record<string, string>;
}

/** Those of the API, and two that it has no use for. */
type Method = TransportRequest['method'] | 'HEAD' | 'OPTIONS';

/** Sends one request with the administrator's credentials; `path` begins with `/` and holds the query. */
export type Http = (method: Method, path: string, options?: HttpOptions) => Promise<HttpAnswer>;

/** Requests as they stand, for what the typed client hides: status codes, Status objects, headers and output formats. */
export function httpOver(transport: Transport): Http {
  return async (
    method,
    path,
    { body, contentType = 'application/json', accept = 'application/json, */*', headers } = {},
  ) => {
    const response = await transport.request({
      // A transport sends whatever it is told to.
      method: method as TransportRequest['method'],
      path,
      headers: { accept, ...(body === undefined ? {} : { 'content-type': contentType }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return { status: response.status, headers: response.headers, body: parsed(Buffer.concat(chunks).toString('utf8')) };
  };
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
