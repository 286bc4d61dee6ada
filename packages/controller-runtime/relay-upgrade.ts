import { request as httpRequest, STATUS_CODES, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { authorized, CONNECT_TIMEOUT, type TransportOptions } from './transport.ts';

/**
 * A request for an upgrade to the API server, or another server, with the client's credentials; not yet sent. A separate
 * entry point, so that agents do not load it.
 *
 * @param path path with the query
 * @param headers with `connection` and `upgrade`
 */
export async function upgradeRequest(
  options: TransportOptions,
  path: string,
  headers: Record<string, string>,
): Promise<ClientRequest> {
  const { server, ca, cert, key, serverName, insecureSkipVerify } = options;
  const url = new URL(server);
  const all = await authorized(headers, options);
  const target = {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: url.pathname.replace(/\/+$/, '') + path,
    headers: all,
    agent: false as const,
    timeout: CONNECT_TIMEOUT,
  };
  const outgoing =
    url.protocol === 'http:'
      ? httpRequest(target)
      : httpsRequest({
          ...target,
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
          ...(serverName === undefined ? {} : { servername: serverName }),
          rejectUnauthorized: insecureSkipVerify !== true,
        });
  outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')));
  outgoing.once('upgrade', (_answer, socket) => socket.setTimeout(0));
  return outgoing;
}

/**
 * Forwards an upgrade request and relays the raw connection, like kube-apiserver
 * (`apimachinery/pkg/util/proxy/upgradeaware.go`). The client receives an error answer of the other server.
 *
 * @param outgoing the request to the other server, not yet sent
 * @param socket the client's connection
 * @param head the data that the client sent after its request
 * @param passes whether the client gets a header of the answer, by its name in lower case. Default: all
 */
export function relayUpgrade(
  outgoing: ClientRequest,
  socket: Duplex,
  head: Buffer,
  passes: (header: string) => boolean = () => true,
): void {
  outgoing.once('upgrade', (answer, other, otherHead) => {
    socket.write(headOf(answer, passes));
    if (otherHead.length > 0) socket.write(otherHead);
    if (head.length > 0) other.write(head);
    join(socket, other);
  });
  outgoing.once('response', (answer) => {
    const { statusCode = 0 } = answer;
    if (statusCode >= 400) relayRefusal(answer, socket, passes);
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
function relayRefusal(answer: IncomingMessage, socket: Duplex, passes: (header: string) => boolean): void {
  const framing = ['transfer-encoding', 'connection', 'keep-alive'];
  socket.write(headOf(answer, (header) => !framing.includes(header) && passes(header), ['Connection: close']));
  answer.once('error', () => socket.destroy());
  answer.pipe(socket);
}

function headOf(answer: IncomingMessage, passes: (header: string) => boolean, extra: readonly string[] = []): string {
  const { rawHeaders, statusCode = 502, statusMessage = '' } = answer;
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (passes(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`);
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
