import { STATUS_CODES, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Forwards an upgrade request and relays the raw connection, like kube-apiserver
 * (`apimachinery/pkg/util/proxy/upgradeaware.go`). The client receives an error answer of the other server.
 *
 * @param outgoing the request to the other server, not yet sent
 * @param socket the client's connection
 * @param head the data that the client sent after its request
 */
export function relayUpgrade(outgoing: ClientRequest, socket: Duplex, head: Buffer): void {
  outgoing.once('upgrade', (answer, other, otherHead) => {
    socket.write(headOf(answer));
    if (otherHead.length > 0) socket.write(otherHead);
    if (head.length > 0) other.write(head);
    join(socket, other);
  });
  outgoing.once('response', (answer) => {
    const { statusCode = 0 } = answer;
    if (statusCode >= 400) relayRefusal(answer, socket);
    else refuseUpgrade(socket, 503, `invalid upgrade response: status code ${statusCode}`);
  });
  outgoing.once('error', (error) => {
    refuseUpgrade(socket, 503, `error dialing backend: ${error.message}`);
  });
  socket.once('close', () => outgoing.destroy());
  outgoing.end();
}

/** Answers an upgrade request with an error in plain text, like Go's `http.Error`. */
export function refuseUpgrade(socket: Duplex, status: number, text: string): void {
  const body = `${text}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: text/plain; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Relays an error answer. Node has removed its chunked framing, so that the end of the connection ends the body. */
function relayRefusal(answer: IncomingMessage, socket: Duplex): void {
  socket.write(headOf(answer, ['transfer-encoding', 'connection', 'keep-alive'], ['Connection: close']));
  answer.once('error', () => socket.destroy());
  answer.pipe(socket);
}

function headOf(answer: IncomingMessage, without: readonly string[] = [], extra: readonly string[] = []): string {
  const { rawHeaders, statusCode = 502, statusMessage = '' } = answer;
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!without.includes(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`);
  }
  return `${[...lines, ...extra].join('\r\n')}\r\n\r\n`;
}

/** Copies data in both directions with backpressure. If one side ends, the other one receives the pending data first. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.once('error', () => from.destroy());
    // A broken connection emits `close` without `end`, so that `pipe` does not end the other one.
    from.once('close', () => to.end());
    to.once('finish', () => {
      to.destroy();
      from.destroy();
    });
  }
}
