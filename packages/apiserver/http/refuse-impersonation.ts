import type { IncomingMessage } from 'node:http';
import { notImplemented } from '../status.ts';

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
