import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { base, RedfishError } from '../messages.ts';

/**
 * Protects against cross-site requests: browsers add known credentials to requests from pages of other sites.
 *
 * @throws RedfishError 403
 */
export function checkSite(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') throw forbidden();
}

/**
 * Protects WebSockets: pages of other sites can open them with what the browser knows, and read them (RFC 6455 §10.2). Browsers always
 * send Origin with a WebSocket, other clients need not.
 *
 * @throws RedfishError 400, 403
 */
export function checkOrigin({ headers, headersDistinct }: IncomingMessage): void {
  if ((headersDistinct['host']?.length ?? 0) !== 1) throw new RedfishError(400, [base('HeaderInvalid', ['Host'])]);
  const { origin, host = '' } = headers;
  if (origin === undefined) return;
  const from = URL.parse(origin);
  if (from === null || !/^https?:$/.test(from.protocol)) throw forbidden();
  // The port may be written although it is that of the scheme.
  if (URL.parse(`${from.protocol}//${host}`)?.host !== from.host) throw forbidden();
}

/** Address of the client. */
export function addressOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
}

function forbidden(): RedfishError {
  return new RedfishError(403, [base('InsufficientPrivilege')]);
}
