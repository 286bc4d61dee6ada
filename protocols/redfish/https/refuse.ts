import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { base, type BaseMessage } from '../messages.ts';

interface Refusal {
  status: string;
  message: BaseMessage;
}

/** Refusals by the error code of Node's parser. An unknown method is one that no resource supports. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_INVALID_METHOD: { status: '501 Not Implemented', message: 'OperationNotAllowed' },
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', message: 'GeneralError' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'GeneralError' },
};
const MALFORMED: Refusal = { status: '400 Bad Request', message: 'GeneralError' };

/** Answers data that is not a valid request with a Redfish error and closes the connection. */
export function refuse(socket: Duplex, code: string): void {
  const { status, message: name } = REFUSALS[code] ?? MALFORMED;
  const message = base(name);
  const extended = { '@odata.type': '#Message.v1_3_0.Message', ...message };
  const body = JSON.stringify({
    error: { code: message.MessageId, message: message.Message, '@Message.ExtendedInfo': [extended] },
  });
  const head = [
    `HTTP/1.1 ${status}`,
    'OData-Version: 4.0',
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
    socket.destroy();
  });
}

/** A name or an address with an optional port; nothing else from the client is copied into a header. */
const HOST = /^(?:[\w.-]{1,255}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?$/;

/** Redirects a plain HTTP request on the TLS port to HTTPS, with the same method and body. */
export function redirectToHttps(request: IncomingMessage, response: ServerResponse): void {
  const { url = '/', headersDistinct } = request;
  const [host = '', ...others] = headersDistinct['host'] ?? [];
  // The rest of the request is discarded: it may contain credentials and be large.
  response.setHeader('Connection', 'close');
  response.setHeader('OData-Version', '4.0');
  if (others.length === 0 && HOST.test(host) && url.startsWith('/'))
    response.writeHead(308, { Location: `https://${host}${url}` });
  else response.writeHead(400);
  response.end();
}
