import type { IncomingMessage, ServerResponse } from 'node:http';

/** A name or an address, and a port or none: whatever else a client sends does not come back in a header. */
const HOST = /^(?:[\w.-]{1,255}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?$/;

/** Tells somebody who talks plain HTTP to the TLS port to come back with TLS, with the same method and body. */
export function redirectToHttps(request: IncomingMessage, response: ServerResponse): void {
  const { host = '' } = request.headers;
  const { url = '/' } = request;
  // What follows is of no interest: credentials may be in it, and more than enough bytes.
  response.setHeader('Connection', 'close');
  response.setHeader('OData-Version', '4.0');
  if (HOST.test(host) && url.startsWith('/')) response.writeHead(308, { Location: `https://${host}${url}` });
  else response.writeHead(400);
  response.end();
}
