import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { base, RedfishError } from '../messages.ts';

/**
 * Protects against cross-site requests: browsers add known credentials to requests from pages of other sites.
 *
 * @throws RedfishError 403
 */
export function checkSite(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') throw new RedfishError(403, [base('InsufficientPrivilege')]);
}

/** Address of the client. */
export function addressOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
}
