import type { IncomingMessage } from 'node:http';
import { notImplemented } from '../status.ts';

const PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** A bearer token from a WebSocket subprotocol, and the other subprotocols. */
export interface WebSocketToken {
  token: string;
  /** The header value without the token. */
  protocols: string;
}

/**
 * The token of a browser, which cannot set `Authorization` on a WebSocket. The request must have another subprotocol
 * for the answer (`apiserver/pkg/authentication/request/websocket/protocol.go`).
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
 * Refuses impersonation, e.g. `kubectl --as`. This server has no RBAC, so that an answer would wrongly suggest that the
 * impersonated user has the permission.
 *
 * @throws StatusError 501 with the names of the headers
 */
export function refuseImpersonation({ headers }: IncomingMessage): void {
  const names = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  if (names.length === 0) return;
  const canonical = names.map((name) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()));
  throw notImplemented(`impersonation (${canonical.join(', ')})`);
}
