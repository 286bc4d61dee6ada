import { text } from 'node:stream/consumers';
import type { Transport, TransportRequest } from '@groundcrew/controller-runtime';

/** A raw response of an API server with any status. */
export interface HttpAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  /** Parsed if it is JSON, otherwise text; undefined if empty. */
  body: unknown;
}

export interface HttpOptions {
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  /** Default `application/json` if there is a body. */
  contentType?: string;
  /** Default `application/json, *\/*`, as in client-go; empty: no header. */
  accept?: string;
  headers?: Record<string, string>;
}

/** The methods of the API, and two that it does not use. */
type Method = TransportRequest['method'] | 'HEAD' | 'OPTIONS';

/** Sends one request with the administrator's credentials; `path` begins with `/` and includes the query. */
export type Http = (method: Method, path: string, options?: HttpOptions) => Promise<HttpAnswer>;

/** Raw requests for data that the typed client hides: status codes, Status objects, headers and output formats. */
export function httpOver(transport: Transport): Http {
  return async (
    method,
    path,
    { body, contentType = 'application/json', accept = 'application/json, */*', headers } = {},
  ) => {
    const response = await transport.request({
      // A transport sends any method.
      method: method as TransportRequest['method'],
      path,
      headers: { accept, ...(body === undefined ? {} : { 'content-type': contentType }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: parsed(await text(response.body)) };
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
