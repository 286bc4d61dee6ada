import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { relayUpgrade } from '@groundcrew/controller-runtime/relay-upgrade';
import type { Way } from './bmc-ways.ts';
import type { Session } from './sessions.ts';

/** The token of the BMC's own session is in the sub-protocol. Origin is checked here and not sent on. */
const REQUEST_HEADERS = ['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol'];
const RESPONSE_HEADERS = [
  ...['upgrade', 'connection', 'sec-websocket-accept', 'sec-websocket-protocol'],
  ...['content-type', 'content-length', 'retry-after'],
];

/**
 * Relays a WebSocket to a console of a BMC until either side or the session ends.
 *
 * @param path of the BMC
 * @throws RequestError
 */
export async function relayConsole(
  request: IncomingMessage,
  socket: Duplex,
  { head, way, path, session }: { head: Buffer; way: Way; path: string; session: Session },
): Promise<void> {
  const headers: Record<string, string> = { connection: 'Upgrade', upgrade: 'websocket' };
  for (const name of REQUEST_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const outgoing = await way.upgrade(path, headers);
  if (socket.destroyed || session.signal.aborted) {
    outgoing.destroy();
    socket.destroy();
    return;
  }
  const onEnd = (): void => {
    socket.destroy();
  };
  session.signal.addEventListener('abort', onEnd, { once: true });
  socket.once('close', () => {
    session.signal.removeEventListener('abort', onEnd);
  });
  relayUpgrade(outgoing, socket, head, (header) => RESPONSE_HEADERS.includes(header));
}
