import type { IncomingMessage } from 'node:http';
import { notImplemented } from '../status.ts';

const PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** A bearer token that came as a WebSocket subprotocol, and the subprotocols that are left for the server that answers. */
export interface WebSocketToken {
  token: string;
  /** As the header's value. */
  protocols: string;
}

/**
 * The token that a browser sends, which cannot set `Authorization` on a WebSocket. It counts where one other
 * subprotocol is asked for, so that there is one to answer with
 * (`apiserver/pkg/authentication/request/websocket/protocol.go`).
 */
export function webSocketToken({ headers }: IncomingMessage): WebSocketToken | undefined {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const asked = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  const others = asked.filter((protocol) => protocol !== '' && !protocol.startsWith(PREFIX));
  const [encoded, second] = asked
    .filter((protocol) => protocol.startsWith(PREFIX))
    .map((protocol) => protocol.slice(PREFIX.length));
  if (encoded === undefined || second !== undefined || others.length === 0) return undefined;
  if (!/^[\w-]+$/.test(encoded)) return undefined;
  return { token: Buffer.from(encoded, 'base64url').toString('utf8'), protocols: others.join(',') };
}

/**
 * Refuses a request in another's name: `kubectl --as`. Everyone with a token may do everything here, so an answer would
 * look as if the other were allowed what was asked.
 *
 * @throws StatusError 501, which names the headers
 */
export function refuseImpersonation({ headers }: IncomingMessage): void {
  const names = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  if (names.length === 0) return;
  const canonical = names.map((name) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()));
  throw notImplemented(`impersonation (${canonical.join(', ')})`);
}
