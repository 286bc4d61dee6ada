import type { IncomingMessage, ServerResponse } from 'node:http';

/** A name or an address with an optional port; nothing else from the client is copied into a header. */
const HOST = /^(?:[\w.-]{1,255}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?$/;

/** Redirects a plain HTTP request on the TLS port to HTTPS, with the same method and body. */
export function redirectToHttps(request: IncomingMessage, response: ServerResponse): void {
  const { host = '' } = request.headers;
  const { url = '/' } = request;
  // The rest of the request is discarded: it may contain credentials and be large.
  response.setHeader('Connection', 'close');
  response.setHeader('OData-Version', '4.0');
  if (HOST.test(host) && url.startsWith('/')) response.writeHead(308, { Location: `https://${host}${url}` });
  else response.writeHead(400);
  response.end();
}
