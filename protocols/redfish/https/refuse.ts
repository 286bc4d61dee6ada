import type { Duplex } from 'node:stream';
import { base, type BaseMessage } from '../messages/index.ts';

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
